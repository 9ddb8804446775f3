/** Bytes of the smallest part that every store takes, but for the last one. */
export const PART = 5 * 1024 * 1024;

/** Fresh memory is dear: what the collector has not found yet would add up to hundreds of MiB. */
const KEPT = 12;
/** Milliseconds without use after which they go. */
const QUIET = 10_000;

const kept: Buffer[] = [];
let held = 0;
let drain: NodeJS.Timeout | undefined;

/** Untouched pages of it take no memory. */
export function take(size: number): Buffer {
  held++;
  return (size === PART ? kept.pop() : undefined) ?? Buffer.allocUnsafeSlow(size);
}

export function give(slab: Buffer): void {
  held--;
  if (slab.length !== PART || kept.length >= KEPT) return;
  kept.push(slab);
  drain ??= setTimeout(() => kept.splice(0), QUIET).unref();
  drain.refresh();
}

/** Instead of `give`, of one that somebody may read still. */
export function lose(): void {
  held--;
}

export function heldTogether(): number {
  return held;
}
