// One of several processes on a port. Its parent tells it what to serve, and when the catalog has changed.
import { realpathSync } from 'node:fs';
import { type Listen } from '../database/listen.ts';
import { stopAbandoned } from '../embedded/embedded.ts';
import { atEnd, end, GRACE, reasonOf, watchRejections } from '../process/ending.ts';
import { createLogger } from '../process/log.ts';
import { type FromWorker, type ToWorker } from '../process/workers/messages.ts';
import { type AuditState } from '../surfaces/admin/options.ts';
import { auditBoard } from './audit.ts';
import { databaseOptions, openDatabase } from './database.ts';
import { readSchema } from './schema-files.ts';
import { serve } from './serve.ts';
import { type Assignment } from './workers.ts';

const board = auditBoard();

async function work({ number, config, secrets, url, port, poolMax, embedded, audit }: Assignment): Promise<void> {
  board.current = audit;
  const log = createLogger(config, number);
  watchRejections(config, log);
  if (embedded !== undefined) atEnd(async () => { if (!process.connected) await stopAbandoned(realpathSync(embedded), log); });
  const options = databaseOptions(config, url, readSchema(), { kind: 'kept' });
  const database = await openDatabase({ ...options, ensure: false, poolMax, listen: toParent }, log);
  atEnd(() => database.close(0));
  const service = await serve(database, { config, secrets, audit: board, place: { number, port }, log });
  atEnd(() => service.close(GRACE));
  tell({ listening: true });
}

/** The parent hears the database; a worker looks once the parent has. */
const toParent: Listen = (heard, resumed) => {
  const hear = (message: ToWorker<Assignment>) => { if ('heard' in message) heard(message.heard); };
  process.on('message', hear);
  resumed();
  return Promise.resolve({ end: () => Promise.resolve(void process.off('message', hear)) });
};

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

// Ctrl-C and a closed terminal reach the whole group; it is the parent that ends the workers then, by SIGTERM.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
process.on('SIGTERM', () => void end(0));
process.on('disconnect', () => void end(1)); // the parent is gone, however it ended
process.on('message', (message: ToWorker<Assignment>) => {
  if ('audit' in message) board.current = message.audit as AuditState;
  if ('serve' in message) work(message.serve).catch((error: unknown) => { tell({ failed: reasonOf(error) }); void end(1); });
});
