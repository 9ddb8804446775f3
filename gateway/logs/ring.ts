import { setImmediate } from 'node:timers/promises';
import { entryOf, levelOf, messageOf, sourceOf, timeOf, type LogRecord } from './record.ts';

export type Filter = {
  /** Any of them; undefined: all. */
  levels?: readonly string[] | undefined;
  sources?: readonly string[] | undefined;
  /** Milliseconds since the epoch, inclusive. */
  since?: number | undefined;
  /** A part of the message, in any case. */
  search?: string | undefined;
};
export type Page = { limit: number; offset: number };
/** Entries as JSON, each by itself. `last`: the number of the newest entry, matching or not. */
export type Found = { entries: string[]; total: number; last: number };
/** Entries as a JSON array. `dropped`: how many older ones were left out. */
export type Appended = { entries: string; count: number; dropped: number; last: number };

const SIZE = 10_000;
/** Records that are looked at in one go: 10,000 entries as JSON take 20 ms, in which no request would be answered. */
const STRETCH = 250;

/** The last entries of a start. */
export class LogRing {
  readonly #records: LogRecord[];
  readonly #size: number;
  /** The number of the newest one, from 1 on. */
  #last = 0;

  constructor(size = SIZE) {
    this.#size = size;
    this.#records = new Array<LogRecord>(size);
  }

  add(records: readonly LogRecord[]): void {
    for (const record of records) this.#records[++this.#last % this.#size] = record;
  }

  /** Those that match, the newest first. */
  async newest(filter: Filter, { limit, offset }: Page): Promise<Found> {
    const matches = matcher(filter);
    const last = this.#last;
    const texts: string[] = [];
    let total = 0;
    for (let number = last; number >= this.#first; number--) {
      const record = this.#at(number);
      if (matches(record) && ++total > offset && texts.length < limit) texts.push(JSON.stringify(entryOf(number, record)));
      if ((last - number + 1) % STRETCH === 0) await setImmediate();
    }
    return { entries: texts, total, last };
  }

  /** Those that came after the entry of this number and match, the oldest first, at most the `most` newest of them. */
  after(number: number, filter: Filter, most: number): Appended {
    const matches = matcher(filter);
    const first = Math.max(number + 1, this.#first);
    const numbers: number[] = [];
    for (let number = first; number <= this.#last; number++) if (matches(this.#at(number))) numbers.push(number);
    const shown = numbers.slice(-most);
    const entries = JSON.stringify(shown.map(number => entryOf(number, this.#at(number))));
    // Whether those that are overwritten matched is not known any more.
    const dropped = numbers.length - shown.length + Math.max(0, first - number - 1);
    return { entries, count: shown.length, dropped, last: this.#last };
  }

  get #first(): number {
    return Math.max(1, this.#last - this.#size + 1);
  }

  #at(number: number): LogRecord {
    return this.#records[number % this.#size] as LogRecord;
  }
}

function matcher({ levels, sources, since = -Infinity, search = '' }: Filter): (record: LogRecord) => boolean {
  const wanted = search.toLowerCase();
  return record => timeOf(record) >= since
    && (levels === undefined || levels.includes(levelOf(record)))
    && (sources === undefined || sources.includes(sourceOf(record)))
    && (wanted === '' || messageOf(record).toLowerCase().includes(wanted));
}
