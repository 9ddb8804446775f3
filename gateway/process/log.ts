import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';
import { printable } from './printable.ts';

export type LogOptions = { logLevel: string; production: boolean };

/** JSON lines in production, lines for a person elsewhere. A worker's carry its number. */
export function createLogger({ logLevel, production }: LogOptions, worker?: number): Logger {
  const options = { level: logLevel };
  const log = production ? pino(options) : pino(options, pretty({
    sync: true, singleLine: true, ignore: 'pid,hostname,worker', translateTime: 'HH:MM:ss',
    messageFormat: ({ worker, msg }) => printable(`${typeof worker === 'number' ? `[${worker}] ` : ''}${String(msg)}`),
  }));
  return worker === undefined ? log : log.child({ worker });
}
