import { runDedicated, TooLarge } from '../../database/dedicated-connection.ts';
import { createTurnQueue } from '../../database/fair-executor.ts';
import { toApiError } from '../../database/refusal.ts';
import { AnswerTimeout } from '../../database/with-deadline.ts';
import { ApiError } from '../../error.ts';
import { claimsOf, type Caller } from '../../identity/caller.ts';

/** A question for service.access. `proposed`: JSON. */
export type Question = { collection: string; id: string | null; operation: string; proposed: string | null };
/** The caller that it is asked about, and who asks. */
type Asking = { caller: Caller; asker: string; signal: AbortSignal };
/** Answers with JSON, {answer, data}. @throws ApiError as service.access; 413 PAYLOAD_TOO_LARGE, 503 SERVICE_UNAVAILABLE. */
export type Explain = (question: Question, asking: Asking) => Promise<string>;

/** Milliseconds of the statement, whose end is an answer about the policy that took them, and until there is no answer. */
const PATIENCE = { statement: 10_000, whole: 12_000 };
/** Connections of one process. */
const AT_ONCE = 2;

/** Asks service.access as the owner, on a connection that is opened for it: policies may take long, and nothing else waits behind them. */
export function createExplain({ url, mostBytes, verbose }: { url: string; mostBytes: number; verbose: boolean }): Explain {
  const inTurn = createTurnQueue({ size: AT_ONCE });
  return ({ collection, id, operation, proposed }, { caller, asker, signal }) => inTurn(asker, async () => {
    try {
      const [found] = await runDedicated({
        url, mostBytes, signal, deadline: PATIENCE.whole, statementTimeout: PATIENCE.statement,
        text: 'select service_private.access_answer($1, $2, $3, $4::text::jsonb, $5::text::jsonb)::text as answer',
        parameters: [collection, id, operation, claimsOf(caller), proposed],
      });
      return (found?.rows as [{ answer: string }])[0].answer;
    } catch (error) {
      throw refusal(error, verbose);
    }
  }, signal);
}

function refusal(error: unknown, verbose: boolean): ApiError {
  if (error instanceof TooLarge) return new ApiError(413, 'PAYLOAD_TOO_LARGE', 'The answer is too large (SERVICE_MAX_ANSWER_SIZE).');
  if (error instanceof AnswerTimeout) return new ApiError(503, 'SERVICE_UNAVAILABLE', 'The policies took too long.');
  return toApiError(error, verbose);
}
