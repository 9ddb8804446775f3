/** How many jobs a worker claims beyond those that it has places for. */
export type Ahead = {
  readonly most: number;
  /** So many were claimed, whose payloads have that length together. */
  claimed: (count: number, length: number) => void;
  /** All that was claimed has begun. */
  begun: () => void;
  /** Some did not begin in time, or a claim failed. */
  waited: () => void;
};

const MOST = 500;
/** Total length of the payloads that are claimed ahead. */
const LENGTH = 1_048_576;
/** Milliseconds until all that was claimed has begun: the next claim is for more where they are fewer, and for less where they are more. */
const SHORT = 10;
const LONG = 20;

/**
 * Jobs that are over at once are claimed many at a time, because a claim costs more than such a job. None that takes longer is claimed
 * before there is a place for it: another worker may have one.
 */
export function createAhead(places: number): Ahead {
  let most = 0;
  let bound = MOST;
  let claimedAt: number | undefined;

  return {
    get most() { return most; },
    claimed(count, length) {
      if (count === 0) return;
      claimedAt = performance.now();
      bound = Math.min(MOST, Math.floor(LENGTH * count / length));
      most = Math.min(most, bound);
    },
    begun() {
      if (claimedAt === undefined) return;
      const took = performance.now() - claimedAt;
      claimedAt = undefined;
      if (took < SHORT) most = Math.min(2 * most + places, bound);
      else if (took > LONG) most = Math.floor(most / 2);
    },
    waited() { most = 0; },
  };
}
