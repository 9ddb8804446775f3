import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import { SlowShapes, type SlowShape } from './slow-shapes.ts';

/** Keeps slow requests until `write`. Those that cannot be written are written with the next ones. */
export function createRecord({ ask, log }: { ask: FairExecutor; log: Logger }) {
  const shapes = new SlowShapes();
  let isAway = false;

  async function write(): Promise<void> {
    const taken = shapes.take();
    if (taken.length === 0) return;
    try {
      await ask('slow-requests', sql => sql`select service_private.record_slow_requests(${JSON.stringify(taken)}::text::jsonb)`);
      isAway = false;
    } catch (error) {
      shapes.add(taken);
      if (!isAway) log.warn({ err: error }, 'slow requests could not be written, and are kept until they can');
      isAway = true;
    }
  }

  return { add: (slow: readonly SlowShape[]) => { shapes.add(slow); }, write };
}
