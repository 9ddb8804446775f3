/** Calls of a client whose requests are looked at: each means what was asked for, and nothing else. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { createClient, RowgateError, type AnySchema, type Client, type Facts } from '../../client/src/index.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { createService, SERVICE_KEY, type TestService } from '../harness/service.ts';
import { checker } from './compiler.ts';
import { newTable, servedTables, type Row, type Table } from './odd-tables.ts';

const TABLES = 12;
/** An empty text is no id: the row then lacks one. */
const REFUSALS = new Set([
  'VALIDATION_INVALID_VALUE', 'INVALID_FILTER_VALUE', 'INVALID_INPUT', 'INVALID_FIELD_OPERATION', 'NOT_FOUND', 'BAD_REQUEST', 'PG_22P02',
  'PG_22003', 'PG_22007', 'PG_22008', 'PG_23502', 'PG_23505', 'PG_22P05', 'URI_TOO_LONG', 'INVALID_AGGREGATE_SELECT',
  'UNKNOWN_AGGREGATE_FIELD',
]);
/** Parameters that are lists of names, or texts as they are. */
const LISTS = ['fields', 'select', 'groupBy', 'on_conflict'];
const TEXTS = ['limit', 'searchString'];

type Sent = { method: string; url: string };

export type Asked = <T>(path: string[], query: Row, ask: () => Promise<T>, about: string) => Promise<T | undefined>;

/** A service of such tables, and how it is called. `end` says whether so many were answered, and others refused rightly. */
export async function callsOf(
  t: Test,
): Promise<{ service: TestService; db: Client<any>; tables: Table[]; call: Asked; end: (percent: number) => void }> {
  const made = new Map<string, ReturnType<typeof newTable>>();
  while (made.size < TABLES) {
    const table = newTable();
    made.set(table.table, table);
  }
  const service = await createService(t, { template: 'served', setup: [...made.values()].map(({ sql }) => sql).join('') });
  const { sent, db } = await recordedClient(t, service);
  const tables = await servedTables(service, made);
  t.ok(tables.length > TABLES / 2, `${tables.length} tables are served`);
  const counts = { answered: 0, refused: 0 };
  const refusals = new Map<string, number>();

  /** The answer of a call, whose one address is what was meant; undefined where it was refused. */
  async function call<T>(path: string[], query: Row, ask: () => Promise<T>, about: string): Promise<T | undefined> {
    sent.length = 0;
    try {
      const answer = await ask();
      counts.answered++;
      t.equal(sent.length, 1);
      meansOnly(t, sent, path, query, about);
      return answer;
    } catch (error) {
      meansOnly(t, sent, path, query, about);
      const { code, status } = error as RowgateError;
      const isRefusal = error instanceof RowgateError && (status === 0 ? code === 'INVALID_INPUT' : status >= 400 && status < 500);
      if (!isRefusal) t.fail(`${about}: ${String(error)}`, { error, sent });
      refusals.set(code, 1 + (refusals.get(code) ?? 0));
      counts.refused++;
      return undefined;
    }
  }

  function end(percent: number): void {
    t.comment(counts, Object.fromEntries(refusals));
    t.ok(100 * counts.answered > percent * (counts.answered + counts.refused), `${percent} percent are answered`);
    t.same([...refusals.keys()].filter(code => !REFUSALS.has(code)), [], 'each refusal is one that these values deserve');
  }

  return { service, db, tables, call, end };
}

async function recordedClient(t: Test, { sql, address }: TestService): Promise<{ sent: Sent[]; db: Client<any> }> {
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const file = join(t.testdir(), 'rowgate.types.ts');
  writeFileSync(file, typesFile(row?.contract as Contract));
  t.same(checker([file]).complaints, [], 'the types compile');
  const { schema } = await import(pathToFileURL(file).href) as { schema: Facts };
  const sent: Sent[] = [];
  const recorded: typeof fetch = (url, init) => {
    sent.push({ method: init?.method ?? 'GET', url: url as string });
    return fetch(url, init);
  };
  const db = createClient<AnySchema>({ url: address, schema, token: SERVICE_KEY, warn: () => undefined, fetch: recorded });
  return { sent, db: db as Client<any> };
}

/** Each address has this path below its collection and these parameters, whatever stands in them. */
function meansOnly(t: Test, sent: Sent[], path: string[], query: Row, about: string): void {
  for (const { url } of sent) {
    const { pathname, searchParams, hash } = new URL(url);
    t.same(pathname.split('/').slice(4).map(decodeURIComponent), path, `${about}: path`, { url });
    t.same([...searchParams.keys()].sort(), Object.keys(query).sort(), `${about}: parameters`, { url });
    t.equal(hash, '');
    for (const [name, text] of searchParams) {
      const meant: unknown = query[name];
      if (LISTS.includes(name)) t.equal(text, (meant as string[]).join());
      else if (TEXTS.includes(name)) t.equal(text, String(meant));
      else if (name === 'where') t.same(operandOf(JSON.parse(text)), operandOf(meant), `${about}: where`, { url });
      else t.same(JSON.parse(text), meant, `${about}: ${name}`);
    }
  }
}

/** The field and the end of its condition, which has operators that were not written. Large numbers as doubles. */
function operandOf(where: unknown): unknown[] {
  const [[field, test] = []] = Object.entries(where as Row);
  const inner: unknown = Array.isArray(test) ? Array.isArray(test[0]) ? (test[0] as unknown[])[1] : test[1] : test;
  return [field, JSON.parse(JSON.stringify(inner, (_, value: unknown) => typeof value === 'bigint' ? Number(value) : value))];
}
