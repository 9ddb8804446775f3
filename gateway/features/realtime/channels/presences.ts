import type { Session } from '../session.ts';

/** Milliseconds that a member stays present without a heartbeat. */
export const PRESENCE_LIFE = 30_000;

/** When each session last said that it is present in a channel, the longest ago first. */
export class Presences {
  readonly #since = new Map<string, { session: Session; channel: string; at: number }>();

  said(session: Session, channel: string, at = performance.now()): void {
    this.forget(session, channel);
    this.#since.set(keyOf(session, channel), { session, channel, at });
  }

  forget(session: Session, channel: string): void {
    this.#since.delete(keyOf(session, channel));
  }

  /** Those that have not said so for too long; they are forgotten. */
  expired(now = performance.now()): { session: Session; channel: string }[] {
    const expired = [];
    for (const [key, presence] of this.#since) {
      if (now - presence.at < PRESENCE_LIFE) break;
      this.#since.delete(key);
      expired.push(presence);
    }
    return expired;
  }
}

function keyOf({ id }: Session, channel: string): string {
  return `${id} ${channel}`;
}
