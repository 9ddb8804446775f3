import type { Session } from '../session.ts';

/** Frames that may wait for one member. */
const MOST_HELD = 10_000;

/** A session in a channel. */
export class Member {
  readonly session: Session;
  readonly channel: string;
  /** Its last state, as JSON; undefined: it is not present. */
  state: string | undefined;
  /** Counts the changes of the caller. */
  turn = 0;
  #held: Buffer[] | undefined;

  constructor(session: Session, channel: string) {
    this.session = session;
    this.channel = channel;
  }

  send(frame: Buffer): void {
    if (this.#held === undefined) this.session.socket.send(frame);
    else if (this.#held.length < MOST_HELD) this.#held.push(frame);
    else this.session.socket.close(1013, 'Too much was said before it was known who may hear it.');
  }

  /** Frames for it wait until `release`. */
  hold(): number {
    this.#held ??= [];
    return this.turn += 1;
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const frame of held) this.session.socket.send(frame);
  }
}
