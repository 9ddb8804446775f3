/** The gateway's memory under load: twelve slices, each another kind of request, with its memory after each. */
import { CASES } from './cases.ts';
import { load } from './load/load.ts';
import { memory } from './processes.ts';
import { number, type Table } from './report.ts';
import { start } from './servers.ts';

const SLICES = 12;

export async function underLoad(url: string, { seconds }: { seconds: number }): Promise<Table> {
  const gateway = await start('rowgate', url);
  const rows = [['start', '', `${number(memory(gateway.pid))} MiB`]];
  try {
    for (let slice = 0; slice < SLICES; slice++) {
      const { name, asks: { rowgate: ask } } = CASES[slice % CASES.length] ?? { name: '', asks: {} };
      if (!ask) throw new Error(`${name} is not for rowgate.`);
      await load(gateway, ask, { connections: 64, seconds });
      rows.push([`after ${(slice + 1) * seconds} s`, name, `${number(memory(gateway.pid))} MiB`]);
    }
  } finally {
    await gateway.stop();
  }
  return { header: ['', 'load by 64 connections', 'resident memory of the gateway'], rows };
}
