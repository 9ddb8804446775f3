/** Milliseconds of a write by which a disk is slow: it keeps everything waiting, */
const SLOW = 10;
/** so for this many times as long nothing is written in place: writes keep the loop waiting a hundredth of its time at most. */
const REST = 100;
let slowUntil = 0;

/** Whether the disk has lately taken at once what was written in place. */
export function isQuick(): boolean {
  return performance.now() >= slowUntil;
}

export function inPlace(write: () => void): void {
  const began = performance.now();
  write();
  const took = performance.now() - began;
  if (took > SLOW) slowUntil = began + took * REST;
}
