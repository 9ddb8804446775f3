/** A turn of the event loop: events that had arrived when it began, and what they led to. */
export type Turn = { began: number; ended: number };

/** Milliseconds between two turns from which the loop had nothing to do and waited for an event. */
const IDLE = 0.05;

let last: Turn = { began: 0, ended: 0 };
let current: Turn | undefined;

/** It begins, and is measured, when it is first asked for. `ended`: Infinity until it has. */
export function thisTurn(): Turn {
  if (current !== undefined) return current;
  const turn = current = { began: performance.now(), ended: Infinity };
  setImmediate(() => {
    turn.ended = performance.now();
    last = turn;
    current = undefined;
  });
  return turn;
}

/** When an event of this turn has arrived, at the earliest: as the loop waited for it, or since it last looked, while it was busy. */
export function arrival(): number {
  const { began } = thisTurn();
  return began - last.ended > IDLE ? began : last.began;
}
