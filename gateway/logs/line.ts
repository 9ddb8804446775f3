import { bounded, type Level, type LineRecord, type Source } from './record.ts';

const LEVELS: Record<number, Level> = { 10: 'debug', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'error' };
/** Fields of a line that are kept, and their names in an entry. Others may hold addresses of people, links and SQL. */
const FIELDS: Record<string, string> = {
  method: 'method', path: 'path', status: 'status', durationMs: 'duration', requestId: 'requestId', traceparent: 'traceparent',
  code: 'code', worker: 'worker', job: 'job', task: 'task', attempt: 'attempt', cron: 'cron', slot: 'slot', session: 'session',
  upload: 'upload', port: 'port', workers: 'workers', role: 'role', collections: 'collections', provider: 'provider', mail: 'mail',
  route: 'route', collection: 'collection', filter: 'filter', sort: 'sort', include: 'include', rows: 'rows', waitedMs: 'waited',
  databaseMs: 'database',
};
/** Those of an error, without its stack. */
const OF_ERROR = ['type', 'message', 'code', 'schema_name', 'table_name', 'column_name', 'constraint_name'];

/** Reads a line of pino's. */
export function readLine(line: string): LineRecord {
  const { time, level, source = 'system', msg = '', err, ...fields } = JSON.parse(line) as {
    time: number; level: number; source?: Source; msg?: string; err?: Fields;
  };
  const metadata = { ...picked(fields, FIELDS), ...(err && { error: ofError(err) }) };
  return { time, level: LEVELS[level] ?? 'info', source, message: bounded(msg), metadata };
}

type Fields = Record<string, unknown>;

function ofError(error: Fields): Fields {
  const { cause } = error;
  const names = Object.fromEntries(OF_ERROR.map(name => [name, name]));
  return { ...picked(error, names), ...(typeof cause === 'object' && cause !== null && { cause: ofError(cause as Fields) }) };
}

function picked(fields: Fields, names: Record<string, string>): Fields {
  const found: Fields = {};
  for (const [name, as] of Object.entries(names)) {
    const value = fields[name];
    if (typeof value === 'string') found[as] = bounded(value);
    else if (typeof value === 'number' || typeof value === 'boolean') found[as] = value;
  }
  return found;
}
