import type postgres from 'postgres';
import { onceMore } from '../database/once-more.ts';
import { toApiError } from '../database/refusal.ts';
import type { Turns } from '../database/turns.ts';
import { AccountRefusal, type AskStanding } from './token.ts';
import type { Standing } from './token-claims.ts';

/** What is announced there: the uid of an account whose tokens are no longer worth what they were. */
export const ACCOUNTS_CHANNEL = 'service_accounts';
/** In the place of a uid: all accounts. */
export const EVERYBODY = '*';

/** The owner's statements about accounts, each a function of sql/auth. `who`: whom it counts against. @throws ApiError. */
export type AskAccounts = <Row extends postgres.MaybeRow[]>(
  who: string, statement: (sql: postgres.Sql) => postgres.PendingQuery<Row>) => Promise<Row>;

/** What was given up for another's sake is tried once more. */
export function askAccounts(turns: Turns, verbose: boolean): AskAccounts {
  return (who, statement) => onceMore(() => turns(who, statement))
    .catch((error: unknown) => { throw toApiError(error, verbose); });
}

/**
 * A look at what a credential is worth now: at the primary, while it is away at its replica. Whoever cannot be looked up is nobody.
 * @throws ApiError 401 as the function says, 503 ROLE_LOOKUP_FAILED.
 */
export function lookUp(ask: AskAccounts, atReplica?: AskAccounts): AskAccounts {
  return (who, statement) => ask(who, statement).catch((error: unknown) => {
    if (atReplica === undefined || toApiError(error, false).code !== 'SERVICE_UNAVAILABLE') throw error;
    return atReplica(who, statement);
  }).catch(refused);
}

/** One request's look at what the account of a token is now. */
export function askStanding(look: AskAccounts): AskStanding {
  return async (uid, sessionId, issuedAt) => {
    const [row] = await look(uid, sql => sql<{ standing: Standing }[]>`
      select service_private.account_standing(${uid}, ${sessionId ?? null}, ${issuedAt}) as standing`);
    if (row === undefined) throw new Error('service_private.account_standing() returned nothing.');
    return row.standing;
  };
}

function refused(error: unknown): never {
  const { status, code, message } = toApiError(error, false);
  if (status === 401) throw new AccountRefusal(status, code, message);
  const says = 'What this caller may do could not be looked up; try again.';
  throw new AccountRefusal(503, 'ROLE_LOOKUP_FAILED', says, undefined, { cause: error });
}
