import { shown } from '../../process/printable.ts';
import type { AskProject } from '../command.ts';

type Report = {
  gateways: { id: string; sockets: number; subscriptions: number; tables: number; sleeping: boolean | null; unheard: number }[];
  outbox: number;
  silent: { table: string; problem: string; statement: string | null }[];
};

/**
 * `rowgate realtime`: connections, undelivered changes, and tables that do not announce their changes.
 * @throws BootError for a database without the schema of this version.
 */
export function realtimeCommand({ json }: { json: boolean }, askProject: AskProject): Promise<void> {
  return askProject('realtime', async owner => {
    const [row] = await owner<{ report: Report }[]>`select service.realtime_report() as report`;
    if (row === undefined) throw new Error('service.realtime_report() returned nothing.');
    return json ? JSON.stringify(row.report, null, 2) : shown(inWords(row.report));
  });
}

function inWords({ gateways, outbox, silent }: Report): string {
  return [
    gateways.length === 0 ? 'No gateway has subscriptions.' : 'Gateways with subscriptions, as of a quarter of a minute ago:',
    ...gateways.map(({ id, sockets, subscriptions, tables, sleeping, unheard }) => [
      `  ${id}  ${sockets} sockets`, `${subscriptions} subscriptions of ${tables} tables`, `${unheard} changes unheard`,
      ...(sleeping ? ['sleeping'] : []),
    ].join(', ')),
    `Changes kept in the outbox: ${outbox}`,
    ...(silent.length === 0 ? [] : ['Tables that do not announce their changes, so that they cannot be subscribed to:']),
    ...silent.map(({ table, problem, statement }) => `  ${table}: ${problem}${statement === null ? '' : `\n${statement}`}`),
  ].join('\n');
}
