/** Functions: of files beside Hono's own server for Node, of SQL beside the floor under row security and beside a list of a view. */
import { join } from 'node:path';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { requireSame } from './compare.ts';
import { connection, ROOT } from './database.ts';
import type { Case } from './cases.ts';
import { measure, type Rounds } from './measure.ts';
import { cell, ratio, type Table } from './report.ts';
import { start, type Running, type Start } from './servers.ts';
import type { Ask } from './load/load.ts';

const CONNECTIONS = 64;
const get = (path: string): Ask => ({ method: 'GET', path, body: '' });

const HONO: Start = { folder: join(import.meta.dirname, 'peers/hono'), args: ['server.mjs'], first: get('/') };

const TABLES = `
  create function live_value(author integer) returns numeric language sql stable as
    'select sum(price) from posts where author_id = author and status = ''live''';
  comment on function live_value is '@endpoint';
  create view live_posts with (security_invoker) as select * from posts where status = 'live';
  create function live_rows() returns setof posts language sql stable as 'select * from posts where status = ''live''';
  comment on function live_rows is '@endpoint';
  grant select on live_posts to service_user;
  grant execute on function live_value, live_rows to service_user;`;

const ASKED = { floor: get('/value/#'), rowgate: get('/api/functions/live_value?author=#') };
const SCALAR: Case = {
  topic: 'get', name: 'SQL function: a sum of 250 rows', connections: CONNECTIONS,
  asks: ASKED,
};
const SET = {
  name: 'SQL function: a set of rows, filter, page of 20', function: get('/api/functions/live_rows?authorId=eq.#&limit=20'),
  list: get('/api/data/live_posts?authorId=eq.#&limit=20&orderBy=id:desc'),
};

export async function functions(postgres: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const sql = connection(url);
  await sql.unsafe(TABLES).simple();
  await sql.end();
  const servers: Running[] = [];
  const open = async (...given: Parameters<typeof start>) => {
    const server = await start(...given);
    servers.push(server);
    return server;
  };
  try {
    const rowgate = await open('rowgate', url, { env: { SERVICE_FUNCTIONS_DIR: join(ROOT, 'bench/functions') } });
    const floor = await open('floor', url, { env: { SECURED: 'yes' } });
    const hono = await open('floor', url, HONO);
    await requireSame([floor, rowgate], SCALAR);
    const rows: string[][] = [];
    const compare = async (name: string, ours: Ask, other: { server: Running; ask: Ask }) => {
      const measured = await measure(postgres, new Map([
        ['ours', { server: rowgate, ask: ours, connections: CONNECTIONS }], ['other', { ...other, connections: CONNECTIONS }],
      ]), rounds);
      const [own, its] = [measured.get('ours'), measured.get('other')];
      rows.push([name, cell(its), cell(own), ...ratio(own, its)]);
    };
    await compare('file: hello, beside @hono/node-server', get('/api/functions/hello'), { server: hono, ask: get('/') });
    await compare(SCALAR.name, ASKED.rowgate, { server: floor, ask: ASKED.floor });
    await compare(`${SET.name}, beside a list of the view`, SET.function, { server: rowgate, ask: SET.list });
    return { header: ['', 'other', 'function', 'of its requests/s', 'by CPU time'], rows };
  } finally {
    for (const server of servers) await server.stop();
  }
}
