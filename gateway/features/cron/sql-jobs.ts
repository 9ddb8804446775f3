import type postgres from 'postgres';
import type { AsService } from '../../database/as-service.ts';
import { BootError } from '../../error.ts';
import { databaseFailureOf } from './failure.ts';
import type { CronJob } from '../cron-job.ts';
import type { CronsSetting, SqlCronSetting } from './settings-file.ts';

/** Where neither a file nor the settings file says. */
export const DEFAULTS = { timezone: 'UTC', enabled: true, timeoutSeconds: 300 };

/** The faults of schedules, zones and functions; `path`: id and key. */
export async function cronProblems(owner: postgres.Sql, crons: object): Promise<{ path: string; problem: string }[]> {
  return owner<{ path: string; problem: string }[]>`
    select path, problem from service_private.cron_problems(${JSON.stringify(crons)}::text::jsonb)`;
}

/** @throws BootError with a line for each schedule, zone and function that cannot be used. */
export async function requireSoundCrons(owner: postgres.Sql, crons: CronsSetting): Promise<void> {
  const problems = await cronProblems(owner, crons);
  if (problems.length === 0) return;
  throw new BootError(problems.map(({ path, problem }) => `crons.${path} of the settings file: ${problem}.`).join('\n'));
}

/** The jobs of the settings file, whose handlers are functions of the project in SQL. */
export async function sqlJobs(owner: postgres.Sql, asService: AsService, crons: CronsSetting): Promise<CronJob[]> {
  const own = Object.entries(crons).filter((entry): entry is [string, SqlCronSetting] => entry[1].function !== undefined);
  const names = [...new Set(own.map(([, { function: name }]) => name))];
  const found = await owner<{ name: string; call: string }[]>`
    select n.name, f.call
    from jsonb_array_elements_text(${JSON.stringify(names)}::text::jsonb) n (name)
    cross join lateral service_private.service_function(n.name) f`;
  const calls = new Map(found.map(({ name, call }) => [name, call]));
  return own.map(([id, { function: name, ...setting }]) => ({
    ...DEFAULTS, ...setting, id,
    run: (context, signal, log) =>
      asService({ call: calls.get(name) ?? '', argument: JSON.stringify(context), timeout: 0, signal, notice: log })
        .catch((error: unknown) => { throw new Error(databaseFailureOf(error)); }),
  }));
}
