import { printable, shown } from '../../process/printable.ts';
import type { AskProject } from '../command.ts';

type Task = {
  task: string; pending: number; due: number; running: number; succeeded: number; failed: number; oldest_due: string | null;
};
type Report = {
  tasks: Task[];
  running: { id: string; task: string; attempt: number; worker: string; since: string }[];
  next: { id: string; task: string; queue: string | null; runAt: string; attempts: number; lastError: string | null }[];
  failed: { id: string; task: string; at: string; attempts: number; error: string | null }[];
};

/**
 * `rowgate jobs`: what runs, waits, comes next and has failed.
 * @throws BootError for a database without the schema of this version.
 */
export function jobsCommand({ json }: { json: boolean }, askProject: AskProject): Promise<void> {
  return askProject('jobs', async owner => {
    const [row] = await owner<{ report: Report }[]>`select service.jobs_report() as report`;
    if (row === undefined) throw new Error('service.jobs_report() returned nothing.');
    return json ? JSON.stringify(row.report, null, 2) : shown(inWords(row.report));
  });
}

function inWords({ tasks, running, next, failed }: Report): string {
  if (tasks.length === 0) return 'There are no jobs.';
  return [
    ...tasks.map(({ task, due, pending, running, succeeded, failed, oldest_due: since }) =>
      `${printable(task)}: ${due} due${since === null ? '' : ` since ${since}`}, ${pending - due} later, ${running} running, `
      + `${succeeded} succeeded, ${failed} failed`),
    ...section('Running:', running.map(({ id, task, attempt, worker, since }) =>
      `${id}  ${printable(task)}, attempt ${attempt}, by ${printable(worker)} since ${since}`)),
    ...section('Next:', next.map(({ id, task, queue, runAt, lastError }) => [
      `${id}  ${printable(task)} at ${runAt}`, ...(queue === null ? [] : [`in the queue ${printable(queue)}`]),
      ...(lastError === null ? [] : [`after: ${printable(lastError)}`]),
    ].join(', '))),
    ...section('Failed for good (select service.job_retry(id) tries again):', failed.map(({ id, task, at, attempts, error }) =>
      `${id}  ${printable(task)} at ${at}, after ${attempts} attempts: ${printable(error ?? 'no reason was given')}`)),
  ].join('\n');
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map(line => `  ${line}`)];
}
