export type Level = 'debug' | 'info' | 'warn' | 'error';
export type Source = 'api' | 'auth' | 'storage' | 'realtime' | 'system';

/** A request that has ended. A tuple, since an object takes twice the time on its way to the parent; `time` in ms since the epoch. */
export type RequestRecord = readonly [
  time: number, method: string, path: string, status: number, duration: number, requestId: string, traceparent: string | undefined,
  noted?: Readonly<Record<string, string>>,
];
/** A line that a process logged. */
export type LineRecord = { time: number; level: Level; source: Source; message: string; metadata: object };
/** A record of the ring. It becomes an entry when it is read. */
export type LogRecord = RequestRecord | LineRecord;

export type Entry = { id: string; timestamp: string; level: Level; source: Source; message: string; metadata: object };

/** Characters of a text from elsewhere that are kept. */
const LONGEST = 2_000;

export function entryOf(id: number, record: LogRecord): Entry {
  const { level, source, message, metadata } = isRequest(record) ? lineOf(record) : record;
  return { id: `log_${id}`, timestamp: new Date(timeOf(record)).toISOString(), level, source, message, metadata };
}

export function timeOf(record: LogRecord): number {
  return isRequest(record) ? record[0] : record.time;
}

export function levelOf(record: LogRecord): Level {
  return isRequest(record) ? 'info' : record.level;
}

export function sourceOf(record: LogRecord): Source {
  return isRequest(record) ? 'api' : record.source;
}

export function messageOf(record: LogRecord): string {
  if (!isRequest(record)) return record.message;
  const [, method, path, status, duration] = record;
  return `${method} ${path} ${status} ${duration}ms`;
}

/** Copies the beginning of a longer text: a slice would keep all of it in memory. */
export function bounded(text: string, most = LONGEST): string {
  return text.length <= most ? text : `${Buffer.from(text.slice(0, most), 'utf16le').toString('utf16le')}…`;
}

function lineOf(record: RequestRecord): Omit<LineRecord, 'time'> {
  const [, method, path, status, duration, requestId, traceparent, noted] = record;
  const metadata = { method, path, status, duration, requestId, traceparent, ...noted };
  return { level: levelOf(record), source: sourceOf(record), message: messageOf(record), metadata };
}

function isRequest(record: LogRecord): record is RequestRecord {
  return Array.isArray(record);
}
