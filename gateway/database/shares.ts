/** How many of something each caller holds, where callers may have no more than so many. Undefined holds without a limit. */
export type Shares = {
  mayHold: (holder: string | undefined) => boolean;
  hold: (holder: string | undefined) => void;
  letGo: (holder: string | undefined) => void;
};

export function createShares(most: number): Shares {
  const held = new Map<string, number>();
  const of = (holder: string): number => held.get(holder) ?? 0;

  return {
    mayHold: holder => holder === undefined || of(holder) < most,
    hold(holder) {
      if (holder !== undefined) held.set(holder, of(holder) + 1);
    },
    letGo(holder) {
      if (holder === undefined) return;
      if (of(holder) > 1) held.set(holder, of(holder) - 1);
      else held.delete(holder);
    },
  };
}
