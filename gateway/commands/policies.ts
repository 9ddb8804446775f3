import type postgres from 'postgres';
import type { Config } from '../features/config.ts';
import { shown } from '../process/printable.ts';
import { askProject } from './ask-project.ts';
import { asDefined, requireSound } from '../start/provision.ts';
import { sourceOf } from '../start/source.ts';

type Wanted = { suggest: boolean; json: boolean; matrix: boolean };
type Cell = { collection: string; operation: string; caller: string; verdict: string; policies: string[] };

/**
 * `rowgate policies`: the policies that the collection files ask for, as a script for psql or as JSON, on standard output; nothing is
 * changed. With `suggest` the script that would serve the tables that are not; with `matrix` service.policy_matrix().
 * @throws BootError for files that are wrong, and for a database without the schema of this version.
 */
export function policiesCommand(wanted: Wanted): Promise<void> {
  return askProject('policies', async (owner, config) =>
    shown(await (wanted.matrix ? matrixOf(owner, wanted) : wanted.suggest ? suggested(owner, config) : ofFiles(owner, config, wanted))));
}

/** One line for each collection and operation, one column for each kind of caller. */
async function matrixOf(owner: postgres.Sql, { json }: Wanted): Promise<string> {
  const cells = await owner<Cell[]>`select * from service.policy_matrix()`;
  if (json) return JSON.stringify(cells, null, 2);
  const callers = [...new Set(cells.map(({ caller }) => caller))];
  const lines = Map.groupBy(cells, ({ collection, operation }) => `${collection}: ${operation}`);
  const rows = [['', ...callers], ...Array.from(lines, ([name, line]) => [name, ...line.map(({ verdict }) => verdict)])];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? [];
  return rows.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}

async function suggested(owner: postgres.Sql, { introspectSchema, unprotectedTables }: Config): Promise<string> {
  const [row] = await owner<{ script: string | null }[]>`
    select service.suggested_policies(${introspectSchema}, ${unprotectedTables}) as script`;
  return row?.script ?? '-- Every table is served.';
}

/** Those of the files of this folder, whether or not a start has made them. */
async function ofFiles(owner: postgres.Sql, config: Config, { json }: Wanted): Promise<string> {
  const source = sourceOf(config);
  if (source.kind !== 'files') return json ? '[]' : '-- There are no collection files: the policies of the tables are as they are.';
  await requireSound(owner, source.files);
  const [row] = await asDefined(owner, source.files, transaction => transaction<{ script: string | null; policies: unknown[] }[]>`
    select service.policies_sql() as script, coalesce((
      select json_agg(json_build_object('schema', w.schema_name, 'table', w.table_name, 'name', w.name, 'origin', w.origin,
        'statement', format('create policy %I on %I.%I %s', w.name, w.schema_name, w.table_name, w.clause))
        order by w.schema_name, w.table_name, w.name)
      from service_private.wanted_policies() w), '[]') as policies`);
  return json ? JSON.stringify(row?.policies, null, 2) : row?.script ?? '-- The collections have no policies.';
}
