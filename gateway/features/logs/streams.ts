import { Readable } from 'node:stream';
import type { Appended, Filter } from '../../logs/ring.ts';

export type StreamsOptions = {
  /** For each filter the entries after a number. */
  follow: (wanted: readonly { filter: Filter; after: number }[]) => Promise<Appended[]>;
  /** Rejects for a credential that may not read logs, or no longer. */
  permit: (authorization: string) => Promise<unknown>;
  /** Milliseconds without an event, until a comment tells proxies that the connection lives. */
  idle?: number;
};
/** A stream that begins: its first event, the number of the newest entry by then, and the credential that it stands on. */
export type Begin = { first: string; last: number; filter: Filter; authorization: string };
export type Streams = {
  open: (begin: Begin) => Readable;
  /** Ends all, and each that is opened from then on. */
  close: () => void;
};

type Stream = Omit<Begin, 'first'> & {
  body: Readable;
  /** Whether the client has taken what it was sent. */
  isReady: boolean;
  sentAt: number;
};

/** Milliseconds between two looks for entries. */
const FLUSH = 250;
/** Between two looks at credentials. While changes of accounts are heard, the answer is known without a query. */
const JUDGE = 500;
const IDLE = 25_000;
/** Bytes that wait in a stream until its client counts as slow; an event may be longer. */
const UNSENT = 16 * 1024;
const PING = Buffer.from(': ping\n\n');

/** A server-sent event. `json` has no line break. */
export function eventOf(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/**
 * Streams of entries of this process. Each has read the ring up to a number, and only a client that took all of it is sent more: entries
 * for a slow one wait in the ring.
 */
export function createStreams({ follow, permit, idle = IDLE }: StreamsOptions): Streams {
  const streams = new Set<Stream>();
  const judged = new Set<string>();
  let timers: NodeJS.Timeout[] = [];
  let isAsking = false;
  let isClosed = false;

  return { open, close };

  function open({ first, ...begin }: Begin): Readable {
    const body = new Readable({ highWaterMark: UNSENT, read: () => { stream.isReady = true; } });
    const stream: Stream = { ...begin, body, isReady: false, sentAt: 0 };
    body.once('close', () => { remove(stream); });
    send(stream, Buffer.from(first));
    if (isClosed) end(stream);
    else add(stream);
    return body;
  }

  function add(stream: Stream): void {
    streams.add(stream);
    if (streams.size === 1) timers = [setInterval(() => void flush(), FLUSH), setInterval(judge, JUDGE)];
  }

  function remove(stream: Stream): void {
    streams.delete(stream);
    if (streams.size === 0) timers.splice(0).forEach(clearInterval);
  }

  function send(stream: Stream, event: Uint8Array): void {
    stream.isReady = false;
    stream.sentAt = performance.now();
    stream.body.push(event);
  }

  /** Those that wait for the same share one answer. */
  async function flush(): Promise<void> {
    if (isAsking) return;
    isAsking = true;
    const ready = [...streams].filter(({ isReady }) => isReady);
    const groups = [...Map.groupBy(ready, ({ filter, last }) => JSON.stringify([filter, last])).values()];
    const wanted = groups.flatMap(([one]) => one === undefined ? [] : [{ filter: one.filter, after: one.last }]);
    const found = wanted.length === 0 ? [] : await follow(wanted).catch(() => []);
    found.forEach((appended, i) => { sendAll(groups[i] ?? [], appended); });
    isAsking = false;
  }

  function sendAll(group: readonly Stream[], { entries, count, dropped, last }: Appended): void {
    const isNews = count > 0 || dropped > 0;
    const json = `{"entries":${entries}${dropped > 0 ? `,"dropped":${dropped}` : ''}}`;
    const event = isNews ? Buffer.from(eventOf('append', json)) : PING;
    for (const stream of group) {
      if (!streams.has(stream)) continue;
      stream.last = last;
      if (isNews || performance.now() - stream.sentAt >= idle) send(stream, event);
    }
  }

  function judge(): void {
    for (const [authorization, group] of Map.groupBy(streams, ({ authorization }) => authorization)) {
      if (judged.has(authorization)) continue;
      judged.add(authorization);
      permit(authorization).catch(() => { group.forEach(end); }).finally(() => { judged.delete(authorization); });
    }
  }

  function end(stream: Stream): void {
    remove(stream);
    stream.body.push(null);
  }

  /** A client that takes nothing would hold up the shutdown. */
  function close(): void {
    isClosed = true;
    for (const stream of [...streams]) {
      const { isReady, body } = stream;
      end(stream);
      if (!isReady) body.destroy();
    }
  }
}
