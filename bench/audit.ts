/** An audit of 2,000 tables beside a read load: how long it takes, and what the load keeps of its rate while audits follow each other. */
import type { Sql } from 'postgres';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { manyTables } from './catalog.ts';
import { load, type Ask } from './load/load.ts';
import { median, type Rounds } from './measure.ts';
import { number, type Table } from './report.ts';
import { start, type Running } from './servers.ts';

const READ: Ask = { method: 'GET', path: '/api/data/item_#', body: '' };
const CONNECTIONS = [1, 16];
/** Seconds until each table was asked for: its statement is compiled at the first request. */
const WARM_UP = 20;

export async function audit(server: Embedded, _url: string, rounds: Rounds): Promise<Table> {
  const { url, sql } = await manyTables(server);
  const gateway = await start('rowgate', url, { first: { ...READ, path: '/api/data/item_1' } });
  const alone = await audited(sql);
  await rate(gateway, 16, WARM_UP);
  const rows: string[][] = [['none', '', '', '', `${number(alone / 1000)} s`]];
  for (const connections of CONNECTIONS) {
    const [quiet, beside, took]: [number[], number[], number[]] = [[], [], []];
    const without = async () => quiet.push(await rate(gateway, connections, rounds.seconds));
    const within = async () => {
      const auditing = keepAuditing(sql);
      beside.push(await rate(gateway, connections, rounds.seconds));
      took.push(...await auditing.stop());
    };
    for (let round = 0; round < rounds.rounds; round++) {
      for (const measured of round % 2 === 0 ? [without, within] : [within, without]) await measured();
    }
    const kept = median(beside.map((rate, round) => rate / (quiet[round] ?? 0)));
    rows.push([
      `${connections}`, `${number(median(quiet))}/s`, `${number(median(beside))}/s`, number(kept), `${number(median(took) / 1000)} s`,
    ]);
  }
  await gateway.stop();
  await sql.end();
  return { header: ['connections that read', 'alone', 'beside audits, one after the other', 'kept', 'an audit takes'], rows };
}

async function rate(gateway: Running, connections: number, seconds: number): Promise<number> {
  const done = await load(gateway, READ, { connections, seconds });
  return done.requests / done.seconds;
}

/** Milliseconds of each audit that was over before the load was. */
function keepAuditing(sql: Sql): { stop: () => Promise<number[]> } {
  const over = new AbortController();
  const all = (async () => {
    const times: number[] = [];
    while (!over.signal.aborted) times.push(await audited(sql));
    return times;
  })();
  return { stop: () => { over.abort(); return all; } };
}

/** As the service does it hourly. */
async function audited(sql: Sql): Promise<number> {
  const begun = performance.now();
  await sql`select service.audit(5)`;
  return performance.now() - begun;
}
