import { styleText } from 'node:util';
import { BootError } from '../../error.ts';
import type { Entry, Level } from '../../logs/record.ts';
import { printable } from '../../process/printable.ts';
import { askService } from './ask-service.ts';

type Wanted = { follow: boolean; json: boolean; level: string | undefined; search: string | undefined };

/** From the least severe on: those that the ring has. */
const LEVELS: readonly Level[] = ['info', 'warn', 'error'];
const COLORS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;
/** As many entries as the service keeps, and as a stream begins with. */
const ALL = 10_000;
const FIRST = 200;

/**
 * `rowgate logs`: prints the log of the service that runs with the settings of this folder, as the service key. With `follow` it goes on
 * until the service ends.
 * @throws BootError for an unknown level, and for a service that does not answer or refuses.
 */
export async function logsCommand({ follow, json, level = 'info', search }: Wanted): Promise<void> {
  const from = LEVELS.findIndex(name => name === level);
  if (from < 0) throw new BootError(`--level must be one of ${LEVELS.join(', ')}.`);
  const query = new URLSearchParams(LEVELS.slice(from).map((name): [string, string] => ['level', name]));
  if (search !== undefined) query.set('search', search);
  query.set('limit', String(follow ? FIRST : ALL));
  const textOf = json ? (entry: Entry) => printable(JSON.stringify(entry)) : lineOf;
  const print = (entry: Entry) => { console.log(textOf(entry)); };
  const response = await askService(follow ? '/admin/logs/stream' : '/admin/logs', query);
  if (!follow) return (await response.json() as { entries: Entry[] }).entries.reverse().forEach(print);
  for await (const { entries, dropped = 0 } of eventsOf(response)) {
    if (dropped > 0) console.error(`${dropped} entries came too fast and are left out.`);
    entries.forEach(print);
  }
  throw new BootError('The stream of the service has ended.');
}

/** The data of server-sent events. A stream that breaks off has ended. */
async function* eventsOf(response: Response): AsyncGenerator<{ entries: Entry[]; dropped?: number }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      const events = (text + decoder.decode(bytes, { stream: true })).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        // Not "." and "$": for these U+2028 ends a line, which JSON and events take as it is.
        const [, data] = /(?:^|\n)data: ([^\n]*)/.exec(event) ?? [];
        if (data !== undefined) yield JSON.parse(data) as { entries: Entry[] };
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Texts of a log may hold anything. */
function lineOf({ timestamp, level, source, message, metadata }: Entry): string {
  const { requestId, error } = metadata as { requestId?: string; error?: { message?: string } };
  const said = [message, ...(error?.message === undefined ? [] : [`(${error.message})`])].join(' ');
  const marked = styleText(COLORS[level], level.padEnd(5), { stream: process.stdout });
  return [timestamp, marked, source.padEnd(8), printable(said), ...(requestId === undefined ? [] : [requestId])].join(' ');
}
