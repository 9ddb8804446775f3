import type { Config } from './config.ts';
import type { Feature } from './feature.ts';

/** SERVICE_ROLE: the part of the service that a start serves. */
export type Role = Config['role'];

/** Whether requests for the feature are answered by a start of this role. */
export function isServed({ roles = ['all', 'api'] }: Pick<Feature, 'roles'>, config: Config): boolean {
  return (typeof roles === 'function' ? roles(config) : roles).includes(config.role);
}

/** Whether this start runs jobs. */
export function runsJobs({ role, jobWorkers }: Pick<Config, 'role' | 'jobWorkers'>): boolean {
  return jobWorkers ?? works(role);
}

/** Whether this start has timers for schedules. */
export function runsSchedules({ role, cronScheduler }: Pick<Config, 'role' | 'cronScheduler'>): boolean {
  return cronScheduler ?? works(role);
}

function works(role: Role): boolean {
  return role === 'all' || role === 'worker';
}
