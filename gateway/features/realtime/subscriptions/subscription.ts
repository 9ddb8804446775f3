import { ApiError } from '../../../error.ts';
import type { Session } from '../session.ts';
import type { Member, Outcome } from './readings.ts';
import { updateFrame } from './update-frame.ts';

/** The target of a subscription: a list, or one row. */
export type Target = { path: string[]; query: string; prefer: string; isOne: boolean };

/** Bytes that wait for a client before it receives no more, until it has taken them. */
const MOST_UNSENT = 1024 * 1024;

/** One of a socket's subscriptions. */
export class Subscription implements Member {
  readonly id: string;
  readonly session: Session;
  readonly target: Target;
  told: string | undefined;
  isNew = true;
  /** The client was too slow for what came last. */
  isBehind = false;
  /** Grows with every beginning: results of an earlier one are obsolete. */
  turn = 0;
  /** Resolves when it has been told something since it last began, or has ended. */
  answered = Promise.withResolvers<undefined>();
  #since: string | undefined;
  #leave: (() => void) | undefined;
  readonly #ended: (subscription: Subscription) => void;

  constructor(id: string, session: Session, target: Target, since: string | undefined, ended: (subscription: Subscription) => void) {
    this.id = id;
    this.session = session;
    this.target = target;
    this.#since = since;
    this.#ended = ended;
  }

  /** From now on nothing that it requested before is sent; its next turn begins. */
  leave(): number {
    this.#leave?.();
    this.#leave = undefined;
    this.answered.resolve(undefined);
    this.answered = Promise.withResolvers();
    return ++this.turn;
  }

  /** It has joined a reading. */
  joined(leave: () => void): void {
    this.#leave = leave;
  }

  end(): void {
    this.leave();
    this.answered.resolve(undefined);
    this.#ended(this);
  }

  refuse(error: unknown): void {
    this.session.refuse({ subscriptionId: this.id }, error);
  }

  tell(outcome: Outcome): string | undefined {
    const { session } = this;
    this.isBehind = session.socket.unsent > MOST_UNSENT;
    if (this.isBehind || session.caller.expiresAt <= Date.now()) return undefined;
    const news = 'update' in outcome ? outcome.update.position : failureText(outcome.failure);
    if (news !== this.told) {
      if ('failure' in outcome) this.refuse(outcome.failure);
      else session.socket.send(updateFrame(outcome.update, this.id, this.#since));
      this.#since = undefined;
    }
    this.answered.resolve(undefined);
    return news;
  }
}

/** No position looks like it. */
function failureText(failure: unknown): string {
  return failure instanceof ApiError ? `${failure.code}: ${failure.message}` : String(failure);
}
