import { LRUCache } from 'lru-cache';
import { WINDOW } from './limiters.ts';
import type { RateStore, Verdict } from './store.ts';

/** Seconds in which something was allowed with how often: [second, count, second, count, …], the oldest first. */
type Hits = number[];

/**
 * Numbers and keys in memory, some 20 MB at the most. Beyond that the keys that were not used for the longest time are forgotten: a
 * flood from ever new addresses costs them their counts, never the process its memory.
 */
const MOST_KEPT = 200_000;

/**
 * A sliding window over whole seconds: something allowed at second s counts up to second s + WINDOW, so for at least WINDOW and less
 * than a second more. `service_private.rate_limit` counts the same.
 */
export function memoryStore(now: () => number = Date.now): RateStore & { readonly kept: number } {
  const windows = new LRUCache<string, Hits>({ maxSize: MOST_KEPT, sizeCalculation: hits => hits.length + 2 });

  function take(key: string, most: number): Verdict {
    const hits = windows.get(key) ?? [];
    // A clock that is set back does not give more.
    const second = Math.max(Math.floor(now() / 1000), hits.at(-2) ?? 0);
    forget(hits, second - WINDOW);
    const count = sum(hits);
    if (count < most) {
      add(hits, second);
      windows.delete(key); // it takes no new size for the same value
      windows.set(key, hits);
      return { allowed: true, remaining: most - count - 1, retryAfter: 0 };
    }
    return { allowed: false, remaining: 0, retryAfter: freeAt(hits, count - most + 1) - second };
  }

  return { take, get kept() { return windows.calculatedSize; } };
}

/** Those before a second. */
function forget(hits: Hits, second: number): void {
  let gone = 0;
  while (gone < hits.length && (hits[gone] as number) < second) gone += 2;
  hits.splice(0, gone);
}

function sum(hits: Hits): number {
  let count = 0;
  for (let i = 1; i < hits.length; i += 2) count += hits[i] as number;
  return count;
}

function add(hits: Hits, second: number): void {
  if (hits.at(-2) === second) hits[hits.length - 1] = hits[hits.length - 1] as number + 1;
  else hits.push(second, 1);
}

/** The second in which so many of the oldest count no more. */
function freeAt(hits: Hits, many: number): number {
  let i = 0;
  for (let gone = 0; i < hits.length; i += 2) {
    gone += hits[i + 1] as number;
    if (gone >= many) break;
  }
  return (hits[i] as number) + WINDOW + 1;
}
