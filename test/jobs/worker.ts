import { pino } from 'pino';
import type { Test } from 'tap';
import type postgres from 'postgres';
import { createFairExecutor } from '../../gateway/database/fair-executor.ts';
import { listenAt } from '../../gateway/database/listen.ts';
import { openPresence } from '../../gateway/database/presence.ts';
import { openWorker, type Worker, type WorkerOptions } from '../../gateway/features/jobs/worker.ts';
import type { Handlers } from '../../gateway/features/job.ts';

export type TestDatabase = { sql: postgres.Sql; url: string };

/** A worker with a session of its own, as a gateway has one. */
export async function startWorker(
  t: Pick<Test, 'teardown'>, { sql, url }: TestDatabase, handlers: Handlers, options: Partial<WorkerOptions> = {},
): Promise<Worker & { id: () => string | undefined }> {
  const listening = listenAt(url);
  const presence = await openPresence(listening);
  const worker = await openWorker({
    ask: createFairExecutor(() => sql, { size: 2, deadline: 5_000 }), listen: listening.listen, presence, handlers,
    log: pino({ level: 'silent' }), concurrency: 5, pollInterval: 2_000, visibilityTimeout: 300_000, maxAttempts: 3, ...options,
  });
  let ending: Promise<void> | undefined;
  const close = (deadline: number) => ending ??= worker.close(deadline).then(presence.end);
  t.teardown(() => close(0));
  return { id: () => presence.id, close };
}
