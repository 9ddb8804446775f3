import type { Appended, Filter, Found, Page } from '../../logs/ring.ts';
import { topic } from '../../process/bus/topic.ts';

/** Entries that match, of all processes of the start. */
export const FIND = topic<{ filter: Filter; page: Page }, Found>('logs.find');
/** For each filter the entries that came after the one of a number. */
export const FOLLOW = topic<readonly { filter: Filter; after: number }[], Appended[]>('logs.follow');
