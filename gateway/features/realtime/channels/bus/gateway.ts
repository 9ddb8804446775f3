import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AskListening } from '../../../../database/listen.ts';
import { arrayText } from '../../../../grammar/array-text.ts';
import type { Presence } from './bus.ts';
import { packed, wordOf } from './wire.ts';

type GatewayOptions = {
  id: string;
  ask: AskListening;
  /** The members present at this gateway. */
  present: () => Presence[];
  log: Logger;
};

/** A gateway among others on one database. */
export type Gateway = {
  /** The longest heading of any notification of this gateway. */
  longestHeading: string;
  /** See wordOf. */
  say: (word: string) => void;
  track: (presence: Presence, frame: string) => void;
  /** The members present at other gateways. */
  roster: (channel: string) => Promise<[id: string, state: string][]>;
  /** Publishes the local members again. Never rejects. */
  enter: () => Promise<void>;
  close: () => Promise<void>;
};

/** Milliseconds for which what is to be said is gathered. */
const WINDOW = 10;

/** @throws the database's error when it cannot begin. */
export async function openGateway({ id, ask, present, log }: GatewayOptions): Promise<Gateway> {
  const longestHeading = `${id} ${Number.MAX_SAFE_INTEGER}`;
  let count = 0;
  let words: string[] = [];
  let changed = new Map<string, Presence>();
  let underWay: Promise<void> | undefined;
  await begin();
  return { longestHeading, say, track, roster, enter, close };

  function say(word: string): void {
    words.push(word);
    underWay ??= run();
  }

  /** A state that is too large for a notification is read by the gateways that are notified. */
  function track(presence: Presence, frame: string): void {
    const { channel } = presence;
    changed.set(JSON.stringify([channel, presence.id]), presence);
    say(wordOf(longestHeading, 'presence', channel, frame) ?? wordOf(longestHeading, 'roster', channel) ?? '');
  }

  async function run(): Promise<void> {
    await setTimeout(WINDOW);
    while (words.length > 0) await flush();
    underWay = undefined;
  }

  /** Messages are lost with their connection; presence is published again when there is a connection. */
  async function flush(): Promise<void> {
    const [said, presences] = [words, [...changed.values()]];
    words = [];
    changed = new Map();
    const notifications = packed(said, () => `${id} ${count += 1}`);
    const statement = 'select service_private.publish_in_channels($1, $2::text[], $3::uuid[], $4::text[], $5::text[])';
    try {
      await ask(statement, [id, ...columns(presences), arrayText(notifications)]);
    } catch (error) {
      log.warn({ err: error }, 'channel messages did not reach other gateways');
      await enter();
    }
  }

  async function roster(channel: string): Promise<[string, string][]> {
    const rows = await ask<{ id: string; state: string }>(
      'select id, state from service_private.channel_roster($1, $2::uuid)', [channel, id]
    );
    return rows.map(({ id, state }) => [id, state]);
  }

  async function begin(): Promise<void> {
    changed = new Map();
    await ask('select service_private.enter_channels($1, $2::text[], $3::uuid[], $4::text[])', [id, ...columns(present())]);
  }

  async function enter(): Promise<void> {
    await begin().catch((error: unknown) => { log.warn({ err: error }, 'presence could not be published to other gateways'); });
  }

  async function close(): Promise<void> {
    await underWay;
    await ask('select service_private.sweep_channels($1)', [id]).catch(() => undefined);
  }
}

function columns(presences: Presence[]): string[] {
  return [presences.map(({ channel }) => channel), presences.map(({ id }) => id), presences.map(({ state }) => state)].map(arrayText);
}
