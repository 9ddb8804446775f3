import { destination, pino } from 'pino';
import { BootError } from '../error.ts';
import { errorSerializer } from '../logs/logged-error.ts';
import { reasonOf } from '../process/ending.ts';

/** Says on standard error why the service did not start: in production as JSON lines, like everything else there. */
export function reportFailure(error: unknown): void {
  if (process.env['NODE_ENV'] !== 'production') return console.error(reasonOf(error));
  const log = pino({ serializers: { err: errorSerializer(false) } }, destination({ dest: 2, sync: true }));
  if (!(error instanceof BootError)) return log.fatal({ err: error }, 'the service did not start');
  for (const line of reasonOf(error).split('\n')) log.fatal(line);
}
