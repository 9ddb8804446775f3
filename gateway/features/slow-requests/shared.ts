import { withDeadline } from '../../database/with-deadline.ts';
import type { SharedContext } from '../feature.ts';
import { createRecord } from './record.ts';
import { SLOW } from './topics.ts';

const MINUTE = 60_000;
/** Milliseconds for the last ones. */
const LEAVE = 1_000;

/** Writes the slow requests of all processes of the start to the database, once a minute, if there were any. */
export function share({ bus, database, log }: SharedContext): Promise<() => Promise<void>> {
  const { add, write } = createRecord({ ask: database.jobs, log });
  const writing = setInterval(() => void write(), MINUTE).unref();
  bus.answer(SLOW, add);
  return Promise.resolve(async () => {
    clearInterval(writing);
    await withDeadline(write(), LEAVE).catch(() => undefined);
  });
}
