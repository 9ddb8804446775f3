import type { Report } from '../../metrics/report.ts';
import { topic } from '../../process/bus/topic.ts';

/** Every process is to report now, for the scrape of this number. */
export const COLLECT = topic<number>('metrics.collect');
export const REPORT = topic<Report>('metrics.report');
/** Asked for the whole text. */
export const SCRAPE = topic<null, Uint8Array>('metrics.scrape');
