import type postgres from 'postgres';
import { inTransaction } from '../../database/transaction.ts';
import { createTurnQueue } from '../../database/fair-executor.ts';
import { withDeadline } from '../../database/with-deadline.ts';
import { claimsOf, type Caller } from '../../identity/caller.ts';

/** A refused request for one row, or for the fields of a collection. `text` is JSON; its `body` has the values that are sent. */
export type Question = { operation: 'read' | 'create' | 'update' | 'delete'; collection: string; id?: string; text?: string };

/**
 * @returns why service.access refuses that to the caller, in a line; undefined where it does not by this code, not in time, or knows no
 * more than the refusal says.
 */
export type AskWhy = (question: Question, refusal: Refusal, caller: Caller) => Promise<string | undefined>;
type Refusal = { code: string; message: string };

/** Milliseconds for the policies, and until there is no reason. */
type Patience = { statement: number; whole: number };
/** A refusal is answered without it, rather than late; for a request that is tried it is the answer. */
export const REFUSED: Patience = { statement: 1_000, whole: 2_000 };
export const TRIED: Patience = { statement: 5_000, whole: 10_000 };
/** Refusals that may wait for their turn, of all callers. */
const MOST_WAITING = 20;

/**
 * Asks as the owner, in a transaction of its own that is rolled back, one at a time. Policies run as the caller. A refusal is answered in
 * any case.
 */
export function createAskWhy(owner: postgres.Sql, { statement, whole }: Patience): AskWhy {
  const takeTurn = createTurnQueue({ size: 1, waiting: MOST_WAITING });
  return (question, refusal, caller) =>
    withDeadline(takeTurn(caller.uid, () => ask(owner, statement, [question, refusal, caller])), whole).catch(() => undefined);
}

async function ask(
  owner: postgres.Sql, timeout: number, [question, { code, message }, caller]: Parameters<AskWhy>,
): Promise<string | undefined> {
  const { operation, collection, id = null, text = null } = question;
  return inTransaction(owner, 'read write', async transaction => {
    await transaction`select set_config('statement_timeout', ${String(timeout)}, true)`;
    const [answer] = await transaction<{ message: string }[]>`
      with line as materialized (
        select a.part, a.name, a.verdict, a.message
        from service.access(${collection}, ${id}, ${operation}, ${claimsOf(caller)}::text::jsonb, ${text}::text::jsonb -> 'body') a
      )
      select l.message from line l
      where l.part = 'answer' and l.verdict = 'false' and l.message <> ${`refused: ${code}: ${message}`}
        and not exists (select from line r where r.part = 'request' and r.name is distinct from ${code})`;
    return answer?.message;
  });
}
