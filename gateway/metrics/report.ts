import { isCounter, type Figure } from './families.ts';
import type { RequestRows, RequestSets } from './request-sets.ts';

/**
 * What a process tells: how much its counters have grown since its last report, and its gauges as they are, for the scrape of that number.
 * Without a number, gauges do not count.
 */
export type Report = { scrape?: number | undefined; requests?: RequestRows; counters: Figure[]; gauges: Figure[] };

/** Returns what makes the reports of a part of a process. */
export function createReporter(figures: () => Figure[], requests?: RequestSets): (scrape?: number) => Report {
  /** Counters at the last report. */
  const told = new Map<string, number>();

  return scrape => {
    const all = figures();
    return {
      scrape,
      ...(requests && { requests: requests.take() }),
      counters: all.filter(({ name }) => isCounter(name)).map(growth),
      gauges: all.filter(({ name }) => !isCounter(name)),
    };
  };

  function growth(figure: Figure): Figure {
    const key = JSON.stringify([figure.name, figure.labels]);
    const before = told.get(key) ?? 0;
    told.set(key, figure.value);
    return { ...figure, value: figure.value - before };
  }
}
