// One of several processes on a port. Its parent tells it what to serve, and carries the bus between them.
import { realpathSync } from 'node:fs';
import { listenThrough } from '../database/shared-listen.ts';
import { stopAbandoned } from '../embedded/embedded.ts';
import type { FromWorker, ToWorker } from '../process/bus/messages.ts';
import { workerBus } from '../process/bus/worker-bus.ts';
import { atEnd, end, grace, reasonOf, watchFailures } from '../process/ending.ts';
import { createLogger } from '../logs/log.ts';
import { createOutbox } from '../logs/outbox.ts';
import { databaseOptions, openDatabase } from './database.ts';
import { readSchema } from './schema-files.ts';
import { serve } from './serve.ts';
import type { Assignment } from './workers.ts';

const parent = workerBus(tell);

async function work({ number, config, secrets, url, port, poolMax, embedded, hears }: Assignment): Promise<void> {
  const said = createOutbox();
  const log = createLogger(config, said.add, number);
  watchFailures(config, log);
  if (embedded !== undefined) atEnd(async () => { if (!process.connected) await stopAbandoned(realpathSync(embedded), log); });
  const bus = parent.as(number);
  said.connect(bus);
  const options = databaseOptions(config, url, readSchema(), { kind: 'kept' });
  const own = { ensure: false, poolMax, serviceCalls: 0, othersCall: false, through: { listen: listenThrough(bus), hears } };
  const database = await openDatabase({ ...options, ...own }, log);
  atEnd(() => database.close(1_000));
  const service = await serve(database, { config, secrets, bus, place: { number, port }, log });
  atEnd(() => service.close(grace()));
  tell({ listening: true });
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

// Ctrl-C and a closed terminal reach the whole group; it is the parent that ends the workers then, by SIGTERM.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
process.on('SIGTERM', () => void end(0));
process.on('disconnect', () => void end(1)); // the parent is gone, however it ended
process.on('message', (message: ToWorker<Assignment>) => {
  if (!('serve' in message)) return parent.hear(message);
  work(message.serve).catch((error: unknown) => { tell({ failed: reasonOf(error) }); void end(1); });
});
