import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type postgres from 'postgres';
import { isDatabaseError } from '../../database/sqlstate.ts';
import { inTransaction } from '../../database/transaction.ts';
import { BootError } from '../../error.ts';
import type { Entry } from '../../logs/record.ts';
import { printable } from '../../process/printable.ts';
import { tableText } from '../../process/table-text.ts';
import type { AskProject } from '../command.ts';
import { askService } from './ask-service.ts';

type Wanted = {
  requestId: string | undefined; file: string | undefined; body: string | undefined; id: string | undefined; json: boolean;
};
/** Members of a refused request's entry, as routes of data note them. */
type Refused = {
  requestId: string; method: string; path: string; status: number; code: string;
  operation: string; collection: string; id?: string; uid: string; roles: string;
};
type Line = Record<'part' | 'name' | 'clause' | 'verdict' | 'message', string | null>;

/** As many entries as the service keeps. */
const ALL = '10000';
/** Milliseconds for the policies. */
const STATEMENT_TIMEOUT = 10_000;
const COLUMNS = ['part', 'name', 'clause', 'verdict', 'message'] as const;

/**
 * `rowgate why`: service.access of a refused request, as things are now. Its entry is looked for in the log of the service that runs with
 * the settings of this folder, or in a file of log lines.
 * @throws BootError where there is no such entry, or none of a refused request for data.
 */
export async function whyCommand({ requestId, file, body, id, json }: Wanted, askProject: AskProject): Promise<void> {
  if (requestId === undefined) throw new BootError('Which request? Its id is in the answer, as error.requestId and as X-Request-ID.');
  const found = (file === undefined ? await entriesOfService() : await entriesOfFile(file))
    .filter(entry => entry.requestId?.toLowerCase() === requestId.toLowerCase());
  const entry = found.find((entry): entry is Refused => entry.operation !== undefined);
  if (entry === undefined) throw new BootError(missing(requestId, found[0]));
  const refused = { ...(id !== undefined && { id }), ...entry };
  if (refused.id === undefined && ['update', 'delete'].includes(refused.operation)) {
    throw new BootError(printable(`The body named the row of ${refused.collection}, and the log has no bodies: --id gives it.`));
  }
  await askProject('why', async owner => {
    const lines = await linesOf(owner, refused, body);
    return json ? JSON.stringify({ request: refused, lines }, null, 2) : textOf(refused, lines, body !== undefined);
  });
}

/** The newest first. */
async function entriesOfService(): Promise<Partial<Refused>[]> {
  const response = await askService('/admin/logs', new URLSearchParams({ limit: ALL }));
  return (await response.json() as { entries: Entry[] }).entries.map(({ metadata }) => metadata);
}

/** Lines of the service's standard output, or of `rowgate logs --json`. Lines that are no JSON are passed over. */
async function entriesOfFile(file: string): Promise<Partial<Refused>[]> {
  const entries: Partial<Refused>[] = [];
  try {
    for await (const line of createInterface({ input: file === '-' ? process.stdin : createReadStream(file) })) {
      const entry = jsonOf(line);
      if (entry !== undefined) entries.unshift(entry.metadata ?? entry);
    }
  } catch (cause) {
    throw new BootError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
  return entries;
}

function jsonOf(line: string): (Partial<Refused> & { metadata?: Partial<Refused> }) | undefined {
  try {
    return line.startsWith('{') ? JSON.parse(line) as object : undefined;
  } catch {
    return undefined;
  }
}

function missing(requestId: string, entry: Partial<Refused> | undefined): string {
  if (entry === undefined) {
    return `The log has no request ${printable(requestId)}. It keeps the last ${ALL} entries of a start; --file reads others, `
      + 'which have refusals with LOG_LEVEL=debug.';
  }
  const { method = '', path = '', status = '' } = entry;
  return `${printable(requestId)} is ${printable(`${method} ${path}`)}, answered ${status}: no refused request for data.`;
}

async function linesOf(
  owner: postgres.Sql, { collection, id, operation, uid, roles }: Refused, body: string | undefined,
): Promise<Line[]> {
  try {
    return await inTransaction(owner, 'read write', async transaction => {
      await transaction`select set_config('statement_timeout', ${String(STATEMENT_TIMEOUT)}, true)`;
      return transaction<Line[]>`
        select a.part, a.name, a.clause, a.verdict, a.message
        from service.access(${collection}, ${id ?? null}, ${operation}, service_private.logged_claims(${uid}, ${roles}),
          ${body ?? null}::text::jsonb) a`;
    });
  } catch (error) {
    throw isDatabaseError(error) ? new BootError(error.message, { cause: error }) : error;
  }
}

function textOf({ method, path, status, code, uid, roles, operation }: Refused, lines: Line[], hasBody: boolean): string {
  const answer = lines.at(-1)?.message ?? '';
  const caller = roles === '' ? uid : `${uid} (${roles})`;
  const rows = lines.slice(0, -1).map(line => COLUMNS.map(column => printable(line[column] ?? '')));
  return [
    printable(`${method} ${path} answered ${status} ${code} to ${caller}.`),
    tableText(COLUMNS, rows),
    ...(!hasBody && ['create', 'update'].includes(operation) ? ['The log has no bodies: --body gives the one that was sent.'] : []),
    printable(`Now: ${answer}`),
  ].join('\n\n');
}
