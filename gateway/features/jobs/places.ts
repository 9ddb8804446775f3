import type { Handlers, Job } from '../job.ts';

/** `left`: how many more jobs of a task may be claimed at once; `busy`: concurrency keys of which none may. */
export type Left = { left: number; busy: string[] };
export type Places = {
  /** @param held the jobs of all tasks that the worker has */
  of: (task: string, held: readonly Job[]) => Left;
  /** Jobs with this one's concurrency key are another process's. */
  leave: (job: Job) => void;
};

/** Which of their jobs tasks have places for, of so many. */
export function createPlaces(places: number, handlers: Handlers): Places {
  const elsewhere = new Map<string, Set<string>>();
  return { of, leave };

  function of(task: string, held: readonly Job[]): Left {
    const others = [...elsewhere.get(task) ?? []];
    const most = handlers[task]?.most?.(places);
    if (most === undefined) return { left: Infinity, busy: others };
    const own = held.filter(job => job.task === task);
    const keys = [...Map.groupBy(own, ({ concurrencyKey }) => concurrencyKey)]
      .map(([key, { length }]) => ({ key, left: most.ofKey - length }));
    // A claim cannot tell keys apart, so it is for as many as the key may have that may have the fewest.
    const fewest = Math.min(most.ofKey, ...keys.filter(({ left }) => left > 0).map(({ left }) => left));
    const full = keys.filter(({ left }) => left <= 0).flatMap(({ key }) => key ?? []);
    return { left: Math.min(most.all - own.length, fewest), busy: [...full, ...others] };
  }

  function leave({ task, concurrencyKey }: Job): void {
    if (concurrencyKey !== null) elsewhere.set(task, (elsewhere.get(task) ?? new Set()).add(concurrencyKey));
  }
}
