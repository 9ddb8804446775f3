import { isCounter, type Figure } from './families.ts';
import type { RequestRows, RequestSets } from './request-sets.ts';

/**
 * The report of a process. `counters`: how much each has grown since its last report; `gauges`: as they are, for the scrape of that number,
 * and for none without it.
 */
export type Report = { scrape?: number | undefined; requests?: RequestRows; counters: Figure[]; gauges: Figure[] };

/** Returns what makes the reports of a part of a process. */
export function createReporter(figures: () => Figure[], requests?: RequestSets): (scrape?: number) => Report {
  /** Counters at the last report. */
  let told = new Map<string, Figure>();

  return scrape => {
    const all = figures();
    const counters = summed(all.filter(({ name }) => isCounter(name)));
    const growth = [...counters].map(([key, figure]) => ({ ...figure, value: figure.value - (told.get(key)?.value ?? 0) }));
    told = counters;
    return {
      scrape,
      ...(requests && { requests: requests.take() }),
      counters: growth,
      gauges: all.filter(({ name }) => !isCounter(name)),
    };
  };
}

/** One figure for each set of labels: several features may count the same. */
function summed(figures: Figure[]): Map<string, Figure> {
  const sums = new Map<string, Figure>();
  for (const figure of figures) {
    const key = JSON.stringify([figure.name, figure.labels]);
    sums.set(key, { ...figure, value: figure.value + (sums.get(key)?.value ?? 0) });
  }
  return sums;
}
