import type { CronJob } from '../cron-job.ts';
import type { SharedContext } from '../feature.ts';

/** Deletes what has expired, and registered clients that no account let in. */
export function crons({ database: { jobs } }: SharedContext): CronJob[] {
  return [{
    id: 'service.oauth-sweep', name: 'Expired codes, tokens and clients of the OAuth server', schedule: '23 * * * *', timezone: 'UTC',
    enabled: true, timeoutSeconds: null,
    async run() {
      const [row] = await jobs('sweep', sql => sql<{ swept: number }[]>`select service_private.sweep_oauth() as swept`);
      return JSON.stringify({ swept: row?.swept });
    },
  }];
}
