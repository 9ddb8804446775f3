import type { Handlers, Job } from '../job.ts';
import type { Share } from './turns.ts';

/** How many more jobs of a task may be claimed: in all, and by concurrency key where that matters. */
export type Left = { left: number; share?: Share };
export type Places = {
  /** @param held the jobs of all tasks that the worker has */
  of: (task: string, held: readonly Job[]) => Left;
  /** Jobs with this one's concurrency key are another process's. */
  leave: (job: Job) => void;
};

/** Which jobs there is room for where a worker has so many places. */
export function createPlaces(places: number, handlers: Handlers): Places {
  const elsewhere = new Map<string, Record<string, number>>();
  return { of, leave };

  function of(task: string, held: readonly Job[]): Left {
    const none = elsewhere.get(task);
    const most = handlers[task]?.most?.(places);
    if (most === undefined) return { left: Infinity, ...(none && { share: { left: none } }) };
    const own = held.filter(job => job.task === task);
    const left = Object.fromEntries([...Map.groupBy(own, ({ concurrencyKey }) => concurrencyKey)]
      .map(([key, { length }]) => [key, Math.max(0, most.ofKey - length)]));
    return { left: most.all - own.length, share: { left: { ...left, ...none }, each: most.ofKey } };
  }

  function leave({ task, concurrencyKey }: Job): void {
    elsewhere.set(task, { ...elsewhere.get(task), [concurrencyKey]: 0 });
  }
}
