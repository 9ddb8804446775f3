import { hash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { ApiError } from '../../error.ts';
import type { Frame } from './frame.ts';
import type { Session } from './session.ts';

/** Does a write by REST's Idempotency-Key, where it has one. */
type Replay = <Answer>(session: Session, frame: Frame, write: (headers: Record<string, string>) => Promise<Answer>) => Promise<Answer>;

/** Milliseconds in which a frame that comes again is answered as before. */
const WINDOW = 10 * 60_000;
/** Frames that a socket is known to have brought. */
const MOST_KNOWN = 1_000;
/** While the first is under way somewhere, the second asks again: so often, after so many milliseconds. */
const TRIES = 20;
const PAUSE = 250;

/**
 * After a broken socket, a client resends unanswered frames over its next one. The very same frame of the same caller is the same write: it
 * runs once and is answered again. Clients number their requests anew with each page load, so another text is another write; so is the same
 * text over the same socket, where clients do not resend.
 */
export function createReplay(): Replay {
  const known = new WeakMap<Session, Set<string>>();

  return async (session, { requestId, text }, write) => {
    if (requestId === undefined) return write({});
    const key = `ws ${Math.floor(Date.now() / WINDOW)} ${hash('sha256', text, 'base64url')}`;
    return remember(session, key) ? afterFirst(session, () => write({ 'idempotency-key': key })) : write({});
  };

  /** False: this socket has brought it before. */
  function remember(session: Session, key: string): boolean {
    const keys = known.get(session) ?? new Set();
    known.set(session, keys);
    if (keys.has(key)) return false;
    keys.add(key);
    const [oldest] = keys;
    if (keys.size > MOST_KNOWN && oldest !== undefined) keys.delete(oldest);
    return true;
  }
}

/** Repeats the write while an earlier one with the same key is under way. */
async function afterFirst<Answer>({ signal }: Session, write: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_IN_PROGRESS') || tries === TRIES) throw error;
      await setTimeout(PAUSE, undefined, { signal });
    }
  }
}
