import type { FairExecutor } from '../../database/fair-executor.ts';
import type { Figure } from '../../metrics/families.ts';

type Row = { task: string; due: number; failed: number; waited: number };

/** Jobs of the database, which every start on it tells alike. */
export async function jobFigures(jobs: FairExecutor): Promise<Figure[]> {
  const rows = await jobs('metrics', sql => sql<Row[]>`select task, due, failed, waited from service_private.job_backlog()`);
  return [
    ...rows.flatMap(({ task, due, failed }): Figure[] => [
      { name: 'service_jobs_due', labels: { task }, value: due },
      { name: 'service_jobs_failed', labels: { task }, value: failed },
    ]),
    { name: 'service_jobs_oldest_due_seconds', value: Math.max(0, ...rows.map(({ waited }) => waited)) },
  ];
}
