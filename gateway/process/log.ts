import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';

export type LogOptions = { logLevel: string; production: boolean };

/** JSON lines in production, lines for a person elsewhere. A worker's carry its number. */
export function createLogger({ logLevel, production }: LogOptions, worker?: number): Logger {
  const options = { level: logLevel };
  const log = production ? pino(options) : pino(options, pretty({
    sync: true, singleLine: true, ignore: 'pid,hostname,worker', translateTime: 'HH:MM:ss',
    messageFormat: '{if worker}[{worker}] {end}{msg}',
  }));
  return worker === undefined ? log : log.child({ worker });
}
