import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * V8 lets the old generation grow to a multiple of what lives in it before it looks for what is dead, and what the database
 * sent waits for that. Half of it is enough: 112 MiB under load instead of 130 to 180, for no more CPU time.
 */
export function growSlowly(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/** Bytes from which a garbage collection at the end is worth its time. */
const LARGE = 256 * 1024;
/** Milliseconds without another: a search stops everything for 40. */
const QUIET = 3000;

let search: NodeJS.Timeout | undefined;
let searches = 0;

/**
 * Told of each body and answer when it is over. V8 looks for what is dead when something new needs the room, so a process with
 * nothing to do would keep for hours what its largest requests took, three times their bytes.
 */
export function collectAfter(bytes: number): void {
  if (bytes < LARGE) return;
  searches = 2; // the second gives back what the first leaves to other threads
  search ??= setTimeout(searcher(), QUIET).unref();
  search.refresh();
}

function searcher(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  return () => {
    // Only as a last resort are the emptied pages given back to the system.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    searches -= 1;
    if (searches > 0) search?.refresh();
  };
}
