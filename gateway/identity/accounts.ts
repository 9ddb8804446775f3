import type postgres from 'postgres';
import { retryOnConflict } from '../database/retry-on-conflict.ts';
import { toApiError } from '../database/refusal.ts';
import type { FairExecutor } from '../database/fair-executor.ts';
import { AccountRefusal, type QueryStanding } from './token.ts';
import type { Standing } from './token-claims.ts';

/** Payload: the uid of an account whose tokens have changed in value. */
export const ACCOUNTS_CHANNEL = 'service_accounts';
/** In the place of a uid: all accounts. */
export const ALL_ACCOUNTS = '*';

/** The owner's statements about accounts, each a function of sql/accounts. `who`: the key it counts against. @throws ApiError. */
export type AccountQuery = <Row extends postgres.MaybeRow[]>(
  who: string, statement: (sql: postgres.Sql) => postgres.PendingQuery<Row>) => Promise<Row>;

/** Runs once more what was given up because of a conflict. */
export function accountQuery(turns: FairExecutor, verbose: boolean): AccountQuery {
  return (who, statement) => retryOnConflict(() => turns(who, statement))
    .catch((error: unknown) => { throw toApiError(error, verbose); });
}

/**
 * Looks up the current standing of a credential: at the primary, while it is away at its replica. A credential that cannot be looked up is
 * rejected.
 * @throws ApiError 401 as the function says, 503 ROLE_LOOKUP_FAILED.
 */
export function lookUp(ask: AccountQuery, atReplica?: AccountQuery): AccountQuery {
  return (who, statement) => ask(who, statement).catch((error: unknown) => {
    if (atReplica === undefined || toApiError(error, false).code !== 'SERVICE_UNAVAILABLE') throw error;
    return atReplica(who, statement);
  }).catch(refused);
}

/** One request's look at what the account of a token is now: of a session's, or of an OAuth client's. */
export function queryStanding(look: AccountQuery, of: 'account_standing' | 'client_standing' = 'account_standing'): QueryStanding {
  return async (uid, sessionId, issuedAt) => {
    const [row] = await look(uid, sql => sql<{ standing: Standing }[]>`
      select service_private.${sql(of)}(${uid}, ${sessionId ?? null}, ${issuedAt}) as standing`);
    if (row === undefined) throw new Error(`service_private.${of}() returned nothing.`);
    return row.standing;
  };
}

function refused(error: unknown): never {
  const { status, code, message } = toApiError(error, false);
  if (status === 401) throw new AccountRefusal(status, code, message);
  const says = 'What this caller may do could not be looked up; try again.';
  throw new AccountRefusal(503, 'ROLE_LOOKUP_FAILED', says, undefined, { cause: error });
}
