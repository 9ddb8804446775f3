import { LastAttempt, NotBegun, TryLater, type Handler, type Job } from '../job.ts';

/** A claim: the job, and which attempt of which worker. */
export type Claim = { id: string; worker: string; attempt: number };
/** As service_private.settle_jobs takes it. */
export type Outcome = Claim & {
  status: 'succeeded' | 'failed' | 'pending'; result?: unknown; error?: string; wait?: number; back?: true;
};

/** The longest wait before a job is tried again. */
const LONGEST_WAIT = 3_600_000;
/** Characters of a result as JSON. */
const LONGEST_RESULT = 1_048_576;
/** An escape of NUL or of half a surrogate pair: JSON can spell them, PostgreSQL does not hold them. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Fails for good where the result cannot be kept: another attempt would do the work again. */
export function succeeded(claim: Claim, result: unknown): Outcome {
  const trouble = troubleOf(result);
  return trouble === undefined ? { ...claim, status: 'succeeded', result } : { ...claim, status: 'failed', error: trouble };
}

function troubleOf(result: unknown): string | undefined {
  try {
    const text = JSON.stringify(result) as string | undefined ?? '';
    if (text.length > LONGEST_RESULT) return `Its result is longer than ${LONGEST_RESULT} characters.`;
    return UNSTORABLE.test(text) ? 'Its result holds NUL or half a character, which the database cannot keep.' : undefined;
  } catch (error) {
    return `Its result is no JSON: ${storable(error)}`;
  }
}

/** @param backoff 1 s after the first attempt, then five times as long each time, where it is not given */
export function failed(claim: Claim, error: unknown, { attempt, maxAttempts }: Job, backoff: Handler['backoff'] = quintupled): Outcome {
  if (error instanceof NotBegun) return { ...givenBack(claim, error.after), error: storable(error) };
  if (attempt >= maxAttempts || error instanceof LastAttempt) return { ...claim, status: 'failed', error: storable(error) };
  const wait = error instanceof TryLater ? error.after : Math.min(backoff(attempt), LONGEST_WAIT);
  return { ...claim, status: 'pending', error: storable(error), wait };
}

/** @param wait milliseconds until it is due; as before, where it is not given */
export function givenBack(claim: Claim, wait?: number): Outcome {
  return { ...claim, status: 'pending', back: true, ...(wait !== undefined && { wait }) };
}

function quintupled(attempts: number): number {
  return 1_000 * 5 ** (attempts - 1);
}

function storable(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll('\0', '').toWellFormed().slice(0, 4_000);
}
