/** Milliseconds of one turn of the loop in which the disk is used in place. */
const TURN = 50;
/** Milliseconds after which one who writes is alone: several, in place, would keep the loop behind their senders for seconds. */
const ALONE = 100;
/** Milliseconds. What takes longer shows a slow disk, */
const SLOW = 10;
/** which for so many times as long is left to threads: such a one keeps the loop waiting for a hundredth of its time. */
const REST = 100;

let spent = 0;
let slowUntil = 0;
let latest: object | undefined;
let sharedUntil = 0;

/** Whether to look at the disk in place. */
export function isQuick(): boolean {
  return spent < TURN && performance.now() >= slowUntil;
}

/** Whether to write in place. Told of everything that somebody writes. */
export function isQuickFor(writer: object): boolean {
  const now = performance.now();
  if (writer !== latest) sharedUntil = now + ALONE;
  latest = writer;
  return now >= sharedUntil && isQuick();
}

export function inPlace<T>(work: () => T): T {
  const began = performance.now();
  try {
    return work();
  } finally {
    const took = performance.now() - began;
    if (took > SLOW) slowUntil = began + took * REST;
    if (spent === 0) setImmediate(nextTurn);
    spent += took;
  }
}

function nextTurn(): void {
  spent = 0;
}
