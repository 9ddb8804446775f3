import { withDeadline } from '../../database/with-deadline.ts';
import type { Figure } from '../../metrics/families.ts';
import { createReporter } from '../../metrics/report.ts';
import { RequestSets } from '../../metrics/request-sets.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { databaseFigures } from './database-figures.ts';
import { watchEventLoop } from './event-loop.ts';
import { processFigures } from './process-figures.ts';
import { createRecorder } from './record.ts';
import { metricsRoutes } from './routes.ts';
import { COLLECT, REPORT, SCRAPE } from './topics.ts';

/** Milliseconds between two reports of a worker: what it counts in between is lost when it is killed. */
const REPORTING = 1_000;
/** For the last one. */
const LEAVE = 500;

export function open({ config, database, bus, figures }: Context): Opened {
  const { catalog } = database;
  const requests = new RequestSets();
  const isWorker = bus.number !== 0;
  const eventLoop = watchEventLoop();
  const measured = (): Figure[] => [
    ...figures(), ...databaseFigures(database), ...eventLoop.figures(), ...isWorker ? processFigures() : [],
  ];
  const report = createReporter(measured, requests);
  const send = (scrape?: number) => bus.ask(REPORT, report(scrape)).catch(() => undefined);
  const unsubscribe = bus.subscribe(COLLECT, scrape => void send(scrape));
  const reporting = isWorker ? setInterval(() => { if (requests.isTouched) void send(); }, REPORTING).unref() : undefined;

  return {
    routes: metricsRoutes({ token: config.metricsToken, scrape: () => bus.ask(SCRAPE, null), ask: database.accounts }),
    onEnd: createRecorder({ basePath: config.basePath, slugs: () => catalog.current.slugs }, requests),
    close: async () => {
      clearInterval(reporting);
      eventLoop.stop();
      unsubscribe();
      await withDeadline(send(), LEAVE).catch(() => undefined); // no parent, no answer
    },
  };
}
