/** Milliseconds of rest that a request is worth: about what it keeps the gateway and the database busy for. */
const CLAIM = 1;
/** Milliseconds: what was asked longer ago is answered. */
const MOST_CLAIMED = 50;
/** The least that large bodies get of the loop's time. What the kernel and the disk do with their bytes comes on top of it. */
const SHARE = 1 / 32;
/** Milliseconds that are worth a timer. */
const WORTH = 1;

let claimed = 0;
let free = 0;

/** Told of every request when it begins. */
export function claimTime(): void {
  claimed = Math.min(claimed + CLAIM, MOST_CLAIMED);
}

/**
 * Large bodies share the loop with requests that are quick to answer, and would fill it. What moved bytes of one since `began` is told for
 * how many milliseconds to rest: as long as others claim, and all of them together keep their share. Alone they need no rest.
 */
export function restAfter(began: number): number {
  const now = performance.now();
  const rest = Math.min(claimed, (now - began) / SHARE);
  claimed -= rest;
  free = Math.max(free, now) + rest;
  return free - now < WORTH ? 0 : free - now;
}
