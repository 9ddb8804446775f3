import type { CronJob } from '../cron-job.ts';
import type { SharedContext } from '../feature.ts';
import { lacksSiteKey } from './captchas.ts';

/** The service itself works without: its pages may have the key from elsewhere. */
export function prepare({ config, log }: SharedContext): Promise<void> {
  if (lacksSiteKey(config)) {
    log.warn('Ways in ask for a captcha that the page on which people let agents in cannot show: CAPTCHA_SITE_KEY is not set.');
  }
  return Promise.resolve();
}

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
