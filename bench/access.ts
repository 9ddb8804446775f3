/**
 * service.access of a table with 20 policies, and service.policy_matrix of 500 collections. Neither is on a request's path: the topic
 * `before` measures those.
 */
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { migrate } from '../gateway/start/migrate.ts';
import { readSchema } from '../gateway/start/schema-files.ts';
import { connection, emptyDatabase } from './database.ts';
import { median, type Rounds } from './measure.ts';
import { number, type Table } from './report.ts';
import { start } from './servers.ts';

const COLLECTIONS = 500;
const POLICIES = 20;
/** Questions of a round. */
const CALLS = 20;

export async function access(server: Embedded, _url: string, { rounds }: Rounds): Promise<Table> {
  const url = await emptyDatabase(server, 'bench_access');
  const sql = connection(url);
  await migrate(sql, readSchema());
  await sql`insert into service.users (uid, email) values ('bench', 'bench@example.org')`;
  await sql.unsafe(MEMBERS).simple();
  for (let n = 1; n <= COLLECTIONS; n++) await sql.unsafe(shop(n)).simple();
  await sql.unsafe(crowded()).simple();
  await sql`vacuum analyze`;
  await (await start('rowgate', url, { first: { method: 'GET', path: '/api/data/shop_1?limit=1', body: '' } })).stop();
  const ask = (id: number, more: string) => () => sql.unsafe(`select from service.access('crowded', '${id}', ${more})`);
  const ann = `service.account_claims('ann')`;
  const rows = [
    [`service.access of a table with ${POLICIES} policies, a row that one lets pass`, await took(rounds, CALLS, ask(1, `'read', ${ann}`))],
    ['a row that all of them hide', await took(rounds, CALLS, ask(2, `'read', ${ann}`))],
    ['an update that they refuse', await took(rounds, CALLS, ask(2, `'update', ${ann}, '{"note": "x"}'`))],
    [`service.policy_matrix of ${COLLECTIONS} collections`, await took(rounds, 1, () => sql`select from service.policy_matrix()`)],
  ];
  await sql.end();
  return { header: ['', 'takes'], rows };
}

const MEMBERS = `
  create table members (id integer primary key, uid text, shop integer, team integer);
  alter table members enable row level security;
  create policy own on members for select using (uid = (select service.uid()))`;

/** Own rows, those of a group, those that all see, and what staff may do: conditions of the row, of the caller, and a subquery. */
function shop(n: number): string {
  return `
    create table shop_${n} (id integer primary key, owner text, team integer, published boolean);
    alter table shop_${n} enable row level security;
    create policy own on shop_${n} using (owner = (select service.uid()));
    create policy team on shop_${n} for select using (team in (
      select m.team from members m where m.uid = (select service.uid()) and m.shop = ${n}));
    create policy everybody on shop_${n} for select using (published and not (select service.is_anonymous()));
    create policy staff on shop_${n} for update using ('staff' = any (string_to_array((select service.roles()), ',')));`;
}

function crowded(): string {
  const policies = Array.from({ length: POLICIES - 1 }, (_, n) =>
    `create policy nobody_${n} on crowded using (owner = 'nobody ${n}' and (select service.uid()) <> 'anonymous' and note is not null);`);
  return `
    create table crowded (id integer primary key, owner text, note text);
    insert into crowded values (1, 'ann', 'a'), (2, 'bob', 'b');
    alter table crowded enable row level security;
    create policy own on crowded using (owner = (select service.uid()));
    ${policies.join('\n')}`;
}

/** The median of so many rounds, for one call. */
async function took(rounds: number, calls: number, call: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  await call();
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    for (let n = 0; n < calls; n++) await call();
    times.push((performance.now() - begun) / calls);
  }
  return `${number(median(times))} ms`;
}
