import type { Wanted } from '../changes.ts';
import type { Tables } from './tables.ts';

/** Milliseconds that a table stays wanted after its last reader: a client that returns soon finds it ready. */
const LINGER = 30_000;

/**
 * The tables that this process wants to hear of.
 * @param used what is read now, and whether by the keys of its rows
 */
export function createWanted(used: () => Map<number, boolean>, tell: (wanted: Wanted) => Promise<void>) {
  let wanted = new Map<number, boolean>();
  const usedAt = new Map<number, number>();
  let told = Promise.resolve();
  let isTold = true;
  const forgetting = setInterval(forget, LINGER).unref();

  return { want, close: () => clearInterval(forgetting) };

  /** Resolves when changes of these tables are reported. */
  function want(tables: Tables): Promise<void> {
    const now = Date.now();
    let isMore = false;
    for (const [relation, key] of tables) {
      usedAt.set(relation, now);
      const isKnown = wanted.has(relation) && (key === null || wanted.get(relation) === true);
      if (!isKnown) wanted.set(relation, key !== null || wanted.get(relation) === true);
      isMore ||= !isKnown;
    }
    if (isMore || !isTold) say();
    return told;
  }

  function say(): void {
    const telling = tell(new Map(wanted));
    telling.catch(() => { isTold &&= told !== telling; }); // the next change of what is wanted tells everything again
    told = telling;
    isTold = true;
  }

  function forget(): void {
    const now = Date.now();
    const read = used();
    const kept = new Map([...wanted].filter(([relation]) => read.has(relation) || now - (usedAt.get(relation) ?? 0) < LINGER)
      .map(([relation]) => [relation, read.get(relation) ?? false]));
    for (const relation of usedAt.keys()) if (!kept.has(relation)) usedAt.delete(relation);
    if (kept.size === wanted.size) return;
    wanted = kept;
    say();
  }
}
