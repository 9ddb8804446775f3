import type { Logger } from 'pino';
import type { FairExecutor } from '../../database/fair-executor.ts';
import { withDeadline } from '../../database/with-deadline.ts';
import type { FigureName } from '../../metrics/families.ts';
import type { Totals } from '../../metrics/totals.ts';

export const SERIES = ['cpu_millicores', 'memory_bytes', 'requests_total', 'errors_total', 'event_loop_delay_ms'] as const;
type Series = typeof SERIES[number];
/** `at`: the begin of its minute. */
type Sample = { series: Series; at: string; value: number };

export type HistoryOptions = {
  ask: FairExecutor;
  /** Has every process report. */
  collect: () => Promise<void>;
  totals: Totals;
  log: Logger;
  instance?: string;
  /** Milliseconds between two samples. */
  interval?: number;
};

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Samples that are kept while the database is away: those of a day. */
const MOST_KEPT = 1440 * SERIES.length;
const MOST_SWEPT = 1_000;
/** Milliseconds for the last samples of a process that ends. */
const LAST_WORDS = 1_000;
const CALLER = 'metrics';

/** Writes the numbers of each minute to the database. @returns what writes those of the last one, and ends it. */
export function keepHistory(options: HistoryOptions): () => Promise<void> {
  const { ask, collect, totals, log, instance = process.env['HOSTNAME'] ?? `pid-${process.pid}`, interval = MINUTE } = options;
  let kept: Sample[] = [];
  let told = read();
  let isAway = false;
  let timer = next();
  const sweeping = setInterval(() => void sweep(), DAY).unref();
  void sweep();

  return async () => {
    clearTimeout(timer);
    clearInterval(sweeping);
    await withDeadline(sample(), LAST_WORDS).catch(() => undefined);
  };

  function next(): NodeJS.Timeout {
    return setTimeout(() => {
      timer = next();
      void sample();
    }, interval - Date.now() % interval).unref();
  }

  async function sample(): Promise<void> {
    await collect();
    const [before, now] = [told, read()];
    told = now;
    const measured = now.delays.count - before.delays.count;
    const values: Record<Series, number> = {
      cpu_millicores: (now.cpu - before.cpu) / Math.max(1, now.time - before.time) * 1e6,
      memory_bytes: now.memory,
      requests_total: now.requests - before.requests,
      errors_total: now.errors - before.errors,
      event_loop_delay_ms: measured > 0 ? (now.delays.sum - before.delays.sum) / measured * 1e3 : 0,
    };
    const at = new Date(before.date - before.date % MINUTE).toISOString();
    kept = [...kept, ...SERIES.map(series => ({ series, at, value: values[series] }))].slice(-MOST_KEPT);
    await write();
  }

  /** Samples that cannot be written are written with the next ones. */
  async function write(): Promise<void> {
    const samples = kept.splice(0);
    try {
      await ask(CALLER, sql => sql`
        select service_private.record_metrics(${instance}, ${JSON.stringify(samples)}::text::jsonb)`);
      isAway = false;
    } catch (error) {
      kept = [...samples, ...kept].slice(-MOST_KEPT);
      if (!isAway) log.warn({ err: error }, 'numbers of /metrics/history could not be written, and are kept until they can');
      isAway = true;
    }
  }

  async function sweep(): Promise<void> {
    try {
      for (let swept = MOST_SWEPT; swept === MOST_SWEPT;) {
        const [row] = await ask(CALLER, sql => sql<{ swept: number }[]>`select service_private.sweep_metrics(${MOST_SWEPT}) as swept`);
        swept = row?.swept ?? 0;
      }
    } catch (error) {
      log.warn({ err: error }, 'old numbers of /metrics/history could not be deleted');
    }
  }

  /** The sums of the start by now. `cpu` and delays in seconds, `time` in milliseconds. */
  function read() {
    const figure = (name: FigureName) => totals.figures.get(name)?.get('') ?? 0;
    return {
      date: Date.now(), time: performance.now(), ...totals.requests.counts(),
      cpu: figure('service_process_cpu_seconds_total'), memory: figure('service_process_rss_bytes'),
      delays: { sum: figure('service_event_loop_delay_seconds_total'), count: figure('service_event_loop_measurements_total') },
    };
  }
}
