import { destination as toFile, levels, pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { printable } from '../process/printable.ts';
import { readLine } from './line.ts';
import { errorSerializer } from './logged-error.ts';
import type { LineRecord } from './record.ts';

export type LogOptions = { logLevel: string; logRawQueries: boolean; production: boolean };

type Keep = (line: LineRecord) => void;

/** From this level on lines are kept, whatever LOG_LEVEL is. */
const KEPT = 'info';

/**
 * JSON lines in production, lines for a person elsewhere. A worker's carry its number. LOG_LEVEL is for standard output; `keep` is called
 * with every line from info on.
 */
export function createLogger({ logLevel, logRawQueries, production }: LogOptions, keep: Keep, worker?: number): Logger {
  const { [logLevel]: least = 0, [KEPT]: kept = 0 } = levels.values;
  const shown = production ? toFile({ dest: 1, sync: true }) : forPeople();
  const destination = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      if (this.lastLevel >= least) shown.write(line);
      if (this.lastLevel >= kept) keep(readLine(line));
    },
  };
  const options = { level: least < kept ? logLevel : KEPT, serializers: { err: errorSerializer(logRawQueries && !production) } };
  const log = pino(options, destination);
  return worker === undefined ? log : log.child({ worker });
}

function forPeople() {
  return pretty({
    sync: true, singleLine: true, ignore: 'pid,hostname,worker,source', translateTime: 'HH:MM:ss',
    messageFormat: ({ worker, msg }) => printable(`${typeof worker === 'number' ? `[${worker}] ` : ''}${String(msg)}`),
  });
}
