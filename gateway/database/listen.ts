import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { databaseOf } from './connection.ts';
import { withDeadline, AnswerTimeout } from './with-deadline.ts';

/** Receives the notifications of a channel. */
export type ChannelListener = {
  heard: (payload: string) => void;
  /** Listening begins, or begins again after a break: what was said before is not known. */
  resumed: () => void;
  /** Until it resumes nothing is heard. */
  silent?: () => void;
};
/** Begins to listen to a channel. */
export type Listen = (channel: string, ears: ChannelListener) => Promise<{ end: () => Promise<void> }>;

/** Asks on the connection that listens. @throws the database's error; Error when it does not answer: it is made anew then. */
export type AskListening = <Row>(statement: string, parameters?: (string | boolean | null)[]) => Promise<Row[]>;

export type Listening = {
  listen: Listen;
  ask: AskListening;
  /** Runs a statement in the session that listens: now, and whenever a lost session was made anew. */
  keep: (statement: string) => Promise<void>;
};

/** Members of the driver that its types do not declare. */
type Notified = { onnotify: (channel: string, payload: string) => void };

/** Milliseconds until a connection that cannot be made is tried again. */
const PAUSE = 200;
/** Milliseconds that an answer may take. */
const SILENCE = 10_000;

/**
 * At the database itself: LISTEN needs a session of its own, past any pooler; all channels share it. Not by the driver's own
 * `listen`, which does not tell that the connection is lost.
 */
export function listenAt(url: string): Listening {
  const channels = new Map<string, ChannelListener>();
  const kept: string[] = [];
  let isMending = false;
  let session = open();

  return { listen, ask, keep };

  function open(): postgres.Sql {
    const options: postgres.Options<Record<string, never>> & Notified = {
      ...databaseOf(url),
      max: 1,
      max_lifetime: null,
      fetch_types: false,
      connection: { application_name: 'rowgate listen' },
      onnotice: () => undefined,
      onnotify: (channel, payload) => channels.get(channel)?.heard(payload),
      onclose: () => void mend(),
    };
    return postgres(url, options);
  }

  async function listen(channel: string, ears: ChannelListener): ReturnType<Listen> {
    channels.set(channel, ears);
    try {
      await run(listenTo(channel));
    } catch (error) {
      await leave(channel, 0); // or it would go on trying
      throw error;
    }
    ears.resumed();
    return { end: () => leave(channel, 1) };
  }

  function ask<Row>(statement: string, parameters: (string | boolean | null)[] = []): Promise<Row[]> {
    const asked = session;
    const answer = asked.unsafe<Row[] & postgres.MaybeRow[]>(statement, parameters, { prepare: true });
    return withDeadline<Row[]>(answer, SILENCE).catch((error: unknown) => {
      if (error instanceof AnswerTimeout && asked === session) replace();
      throw error;
    });
  }

  async function keep(statement: string): Promise<void> {
    kept.push(statement);
    await run(statement);
  }

  /** Replaces a connection that is silent without being reported as lost. */
  function replace(): void {
    const silent = session;
    session = open();
    void silent.end({ timeout: 0 });
    void mend();
  }

  async function run(...statements: string[]): Promise<void> {
    await session.unsafe(statements.join('; ')).simple();
  }

  async function mend(): Promise<void> {
    if (isMending || channels.size === 0) return;
    isMending = true;
    for (const ears of channels.values()) ears.silent?.();
    const isHeard = () => run(...Array.from(channels.keys(), listenTo), ...kept).then(() => true, () => false);
    while (channels.size > 0 && !await isHeard()) await setTimeout(PAUSE, undefined, { ref: false });
    isMending = false;
    for (const ears of channels.values()) ears.resumed();
  }

  async function leave(channel: string, timeout: number): Promise<void> {
    channels.delete(channel);
    if (channels.size === 0) await session.end({ timeout });
  }
}

function listenTo(channel: string): string {
  return `listen ${channel}`;
}

/** Where nothing can be heard. */
export const noopListen: Listen = (_channel, ears) => {
  ears.silent?.();
  return Promise.resolve({ end: () => Promise.resolve() });
};
