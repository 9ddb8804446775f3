import { coalesced } from '../../catalog/coalesced.ts';
import { withDeadline } from '../../database/with-deadline.ts';
import { exposition } from '../../metrics/exposition.ts';
import type { Figure } from '../../metrics/families.ts';
import { createReporter } from '../../metrics/report.ts';
import { Totals } from '../../metrics/totals.ts';
import { joined } from '../../process/joined.ts';
import type { ShareContext } from '../feature.ts';
import { keepHistory } from './history.ts';
import { jobFigures } from './job-figures.ts';
import { processFigures } from './process-figures.ts';
import { COLLECT, REPORT, SCRAPE } from './topics.ts';

/** Milliseconds that a scrape waits for processes, and for the database: figures that are not there by then are left out. */
const PATIENCE = 1_000;

/** Keeps the sums of all processes of the start, those that are gone among them. */
export function share({ config, bus, database, figures, log }: ShareContext): Promise<() => Promise<void>> {
  if (config.metricsToken === undefined) {
    log.warn('Every client that reaches the service may read /metrics: SERVICE_METRICS_TOKEN is not set.');
  }
  const totals = new Totals();
  const own = createReporter(() => [{ name: 'service_uptime_seconds', value: process.uptime() }, ...processFigures()]);
  const jobs = joined(() => jobFigures(database.jobs));
  let text: Uint8Array = new Uint8Array();
  const collect = coalesced(async () => {
    const scrape = totals.beginScrape();
    const [ofJobs, ofStart] = [jobs, figures].map(ask => withDeadline(ask(), PATIENCE).catch((): Figure[] => []));
    // A process has handled the message once its report is here, which it sends before.
    await withDeadline(bus.announce(COLLECT, scrape), PATIENCE).catch(() => undefined);
    totals.add(own(scrape));
    totals.add({ scrape, counters: [], gauges: [...await ofJobs ?? [], ...await ofStart ?? []] });
  });
  const scrape = coalesced(async () => {
    await collect();
    text = await exposition({ requests: totals.requests.copy(), figures: totals.figures });
  });

  bus.answer(REPORT, report => { totals.add(report); });
  bus.answer(SCRAPE, async () => {
    await scrape();
    return text;
  });
  return Promise.resolve(keepHistory({ ask: database.jobs, collect, totals, log }));
}
