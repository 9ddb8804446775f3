import type { Test } from 'tap';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';

export type Entry = {
  id: string; timestamp: string; level: string; source: string; message: string; metadata: Record<string, unknown>;
};
export type Event = { name: string; data: { entries: Entry[]; total?: number; dropped?: number; instance?: string } };
export type Stream = {
  response: Response;
  /** All that came. */
  events: Event[];
  /** The entries of all of them. */
  entries: () => Entry[];
  comments: () => number;
  /** Resolves once the server has ended it: whether the body was whole. */
  ended: Promise<'whole' | 'broken'>;
  isOver: () => boolean;
  close: () => void;
};

/** Reads a stream of logs, below the base path, until the test ends. */
export async function streamOf(
  t: Pick<Test, 'teardown'>, address: string, { as = SERVICE_KEY, query = '', path = '/admin/logs/stream', headers = {} } = {},
): Promise<Stream> {
  const leaving = new AbortController();
  const response = await fetch(`${address}${path}${query}`, {
    signal: leaving.signal, headers: { authorization: `Bearer ${as}`, ...headers },
  });
  const events: Event[] = [];
  let [comments, isOver] = [0, false];
  t.teardown(() => leaving.abort());
  const ended = read().then(() => 'whole' as const, () => 'broken' as const).finally(() => { isOver = true; });
  return {
    response, events, ended, isOver: () => isOver, comments: () => comments, close: () => leaving.abort(),
    entries: () => events.flatMap(({ data }) => data.entries),
  };

  async function read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (text + decoder.decode(bytes, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, name, json] = /^event: (\w+)\ndata: ([^\n]*)$/.exec(block) ?? [];
        if (name === undefined || json === undefined) comments += 1;
        else events.push({ name, data: JSON.parse(json) as Event['data'] });
      }
    }
  }
}

/** Resolves with the first entry of the stream that fits. */
export function comes({ entries }: Stream, what: string, fits: (entry: Entry) => boolean): Promise<Entry> {
  return until(what, () => entries().find(fits));
}
