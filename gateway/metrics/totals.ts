import { isCounter, type Figure, type FigureName } from './families.ts';
import type { Report } from './report.ts';
import { RequestSets } from './request-sets.ts';
import { labelsText } from './exposition.ts';

/** Numbers of a family, by their labels as text. */
export type Figures = ReadonlyMap<FigureName, ReadonlyMap<string, number>>;

/** The sums of what all processes of a start have reported. Counters of a process that is gone stay in them; gauges are of one scrape. */
export class Totals {
  readonly requests = new RequestSets();
  readonly #figures = new Map<FigureName, Map<string, number>>();
  #scrape = 0;

  get figures(): Figures {
    return this.#figures;
  }

  /** Forgets the gauges of the last scrape. @returns the number of this one. */
  beginScrape(): number {
    for (const name of this.#figures.keys()) if (!isCounter(name)) this.#figures.delete(name);
    return ++this.#scrape;
  }

  add({ scrape, requests, counters, gauges }: Report): void {
    if (requests !== undefined) this.requests.add(requests);
    for (const figure of counters) this.#add(figure);
    if (scrape === this.#scrape) for (const figure of gauges) this.#add(figure);
  }

  #add({ name, labels = {}, value }: Figure): void {
    const family = this.#figures.get(name) ?? new Map<string, number>();
    this.#figures.set(name, family);
    const text = labelsText(labels);
    family.set(text, (family.get(text) ?? 0) + value);
  }
}
