import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Listening } from './listen.ts';
import { isDenied } from './sqlstate.ts';

/** Calls at once where there is a presence already. */
export type PresenceEars = {
  /** Under this id from now on. */
  begun: (id: string) => void;
  /** The session is gone, and with it the worth of what was begun under its id. */
  lost: () => void;
};

/**
 * A gateway as others see it: an id that counts as long as the session lives by which it listens, whatever becomes of its process. Another
 * gateway asks service_private.is_present().
 */
export type Presence = {
  /** Undefined while its session is lost. */
  readonly id: string | undefined;
  /** @returns what ends it. */
  follow: (ears: PresenceEars) => () => void;
  end: () => Promise<void>;
};

/** Nothing is said there: it tells when the session is lost, and when there is another. */
const CHANNEL = 'service_presence';

/** Milliseconds until a presence that could not be held is tried again. */
const AGAIN = 1_000;

/** Without a session of its own the id is for good, and others cannot know whether it counts. */
export async function openPresence(listening: Listening | undefined): Promise<Presence> {
  if (listening === undefined) return pooledPresence();
  const { ask, listen } = listening;
  const followers = new Set<PresenceEars>();
  let id: string | undefined;
  /** The last one, which the same session may still hold. */
  let before: string | null = null;
  let tries = 0;
  const first = Promise.withResolvers<undefined>();
  const channel = await listen(CHANNEL, { heard: () => undefined, resumed: () => void begin(), silent: lose });
  await first.promise;
  return {
    get id() { return id; },
    follow(ears) {
      followers.add(ears);
      if (id !== undefined) ears.begun(id);
      return () => { followers.delete(ears); };
    },
    end: channel.end,
  };

  async function begin(): Promise<void> {
    const next = newId();
    const mine = ++tries;
    try {
      await ask('select service_private.hold_presence($1, $2)', [next, before]);
    } catch (error) {
      if (isDenied(error)) first.reject(error);
      await delay(AGAIN, undefined, { ref: false });
      if (mine === tries) void begin(); // else the session was lost, and there has been another beginning
      return;
    }
    id = next;
    before = next;
    first.resolve(undefined);
    for (const { begun } of followers) begun(next);
  }

  function lose(): void {
    if (id === undefined) return;
    id = undefined;
    for (const { lost } of followers) lost();
  }
}

function pooledPresence(): Presence {
  const id = `${newId()}-pooled`;
  return {
    id,
    follow({ begun }) { begun(id); return () => undefined; },
    end: () => Promise.resolve(),
  };
}

function newId(): string {
  return `${process.pid}-${randomBytes(4).toString('hex')}`;
}
