import { Copying, runDedicated, TooLarge, type DedicatedOptions, type Outcome } from '../../../database/dedicated-connection.ts';
import { AnswerTimeout } from '../../../database/with-deadline.ts';
import { masked } from '../../../database/sql-text.ts';
import { isDatabaseError, isRefusedWork } from '../../../database/sqlstate.ts';
import { ApiError } from '../../../error.ts';
import type { Session } from '../session.ts';
import type { AdminFramesOptions } from './options.ts';

/** Milliseconds for one statement, or script. */
const DEADLINE = 30_000;
/** Connections of one process for SQL of people. */
const AT_ONCE = 4;

export type RunSql = (session: Session, of: string, given: Asked) => Promise<Outcome[]>;
type Asked = Pick<DedicatedOptions, 'text' | 'role' | 'parameters' | 'isScript'> & { database?: string | undefined };

/**
 * Runs SQL as the owner, on a connection of its own, and logs the caller and the statement: never a literal, never a parameter.
 * @throws ApiError SQL_ERROR with the database's words, 413 PAYLOAD_TOO_LARGE, 503 SERVICE_UNAVAILABLE.
 */
export function createRunSql({ url, mostBytes, log }: Pick<AdminFramesOptions, 'url' | 'mostBytes' | 'log'>): RunSql {
  let running = 0;

  return async (session, of, { database, ...given }) => {
    if (running >= AT_ONCE) throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'Other SQL is running already; try again.');
    running += 1;
    const begun = performance.now();
    const { uid, kind, key } = session.caller;
    const entry = {
      audit: of, actor: { uid, kind, ...(key && { key: key.id }) }, database, role: given.role,
      statement: masked(given.text), parameters: given.parameters?.length ?? 0,
    };
    const write = (outcome: object) => {
      log.info({ ...entry, ...outcome, durationMs: Math.round(performance.now() - begun) }, 'SQL was run');
    };
    try {
      const at = database === undefined ? url : atDatabase(url, database);
      const done = await runDedicated({ url: at, deadline: DEADLINE, mostBytes, signal: session.signal, ...given });
      write({ rows: done.map(({ rowCount }) => rowCount) });
      return done;
    } catch (error) {
      write({ refused: isDatabaseError(error) ? error.code : (error as Error).name });
      throw refusal(error);
    } finally {
      running -= 1;
    }
  };
}

/** A URL may name several hosts, which URL parsers refuse. */
export function atDatabase(url: string, database: string): string {
  return url.replace(/^(\w+:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${encodeURIComponent(database)}`);
}

/** The server refuses parameters that are too few or too many there, with the SQLSTATE of a broken connection (08P01). */
const BINDING = 'exec_bind_message';

function refusal(error: unknown): ApiError {
  if (error instanceof TooLarge) {
    return new ApiError(413, 'PAYLOAD_TOO_LARGE', 'The rows are larger than an answer may be (SERVICE_MAX_ANSWER_SIZE).');
  }
  if (error instanceof AnswerTimeout) return new ApiError(503, 'SERVICE_UNAVAILABLE', `The statement did not end: ${error.message}.`);
  if (error instanceof Copying) return socketError('NOT_SUPPORTED', 'COPY to or from the client is for psql.');
  if (!isDatabaseError(error) || (isRefusedWork(error) && error.routine !== BINDING)) {
    return new ApiError(503, 'SERVICE_UNAVAILABLE', 'The database cannot be reached.', {}, { cause: error });
  }
  const { code: dbCode, detail, hint, position } = error as typeof error & { position?: string };
  return socketError('SQL_ERROR', error.message, { dbCode, detail, hint, position }, error);
}

type Code = 'SQL_ERROR' | 'NOT_SUPPORTED' | 'BRANCHING_UNSUPPORTED';

/** One that exists over sockets only, and so has no status of its own. */
export function socketError(code: Code, message: string, details?: object, cause?: unknown): ApiError {
  return new ApiError(400, code, message, details && { ...details }, { cause });
}
