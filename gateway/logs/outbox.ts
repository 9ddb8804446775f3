import type { Bus } from '../process/bus/bus.ts';
import { topic } from '../process/bus/topic.ts';
import type { LogRecord } from './record.ts';

/** Asked of the process that has the ring. */
export const RECORDS = topic<readonly LogRecord[]>('logs.records');
/** Every process is to send its records now. */
export const FLUSH = topic<null>('logs.flush');

/** Records of one process on their way to the ring of the start. */
export type Outbox = {
  add: (record: LogRecord) => void;
  /** From now on they are sent, those that wait first. @returns what sends the last ones and ends that. */
  connect: (bus: Pick<Bus, 'ask' | 'subscribe'>) => () => Promise<void>;
};

/** Milliseconds, and records, until a batch is sent: what a worker has not sent is lost when it is killed. */
const PAUSE = 20;
const BATCH = 100;
/** Batches without an answer, from which on the records wait here: their process hangs. */
const MOST_UNDER_WAY = 50;
const MOST_WAITING = 10_000;

export function createOutbox(): Outbox {
  let records: LogRecord[] = [];
  let send: ((batch: readonly LogRecord[]) => Promise<void>) | undefined;
  let underWay = 0;
  let timer: NodeJS.Timeout | undefined;

  return { add, connect };

  function add(record: LogRecord): void {
    records.push(record);
    if (records.length % BATCH === 0) void flush();
    else timer ??= setTimeout(() => void flush(), PAUSE).unref();
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (records.length > MOST_WAITING) records = records.slice(-MOST_WAITING / 2);
    if (send === undefined || records.length === 0 || underWay >= MOST_UNDER_WAY) return;
    const batch = records;
    records = [];
    underWay += 1;
    await send(batch).catch(() => undefined); // no ring, or no parent any more
    underWay -= 1;
  }

  function connect(bus: Pick<Bus, 'ask' | 'subscribe'>): () => Promise<void> {
    send = batch => bus.ask(RECORDS, batch);
    const unsubscribe = bus.subscribe(FLUSH, () => void flush());
    const last = () => void flush();
    process.once('exit', last); // after an exception, too
    void flush();
    return async () => {
      unsubscribe();
      process.off('exit', last);
      await flush();
    };
  }
}
