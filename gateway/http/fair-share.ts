/** Milliseconds of rest that a request is worth: about what it keeps the gateway and the database busy for. */
const CLAIM = 1;
/** Milliseconds: what was asked longer ago is answered. */
const MOST_CLAIMED = 50;
/** The least share of the loop's time for large bodies. The time of the kernel and the disk comes on top of it. */
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
 * Large bodies share the loop with short requests, and would fill it. Returns for how many milliseconds the sender has to rest after work
 * that began then: as long as other requests claim time, while all bodies together keep their share. Alone they need no rest.
 */
export function restAfter(began: number): number {
  const now = performance.now();
  const rest = Math.min(claimed, (now - began) / SHARE);
  claimed -= rest;
  free = Math.max(free, now) + rest;
  return free - now < WORTH ? 0 : free - now;
}
