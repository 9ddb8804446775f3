/** Runs work when it is its turn. @throws what `full` makes, when too much waits. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Without more, everything may wait. */
export type InTurnOptions = { atOnce: number; waiting?: number; full?: () => Error };

/** First come, first served. */
export function createInTurn({ atOnce, waiting: most = Infinity, full = () => new Error('Too much waits.') }: InTurnOptions): InTurn {
  const waiting: (() => void)[] = [];
  let atWork = 0;

  return async work => {
    if (atWork >= atOnce) await turn();
    else atWork += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) atWork -= 1;
      else next();
    }
  };

  function turn(): Promise<void> {
    if (waiting.length >= most) throw full();
    return new Promise(resolve => waiting.push(resolve));
  }
}
