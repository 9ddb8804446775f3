import { adminUnavailable } from '../../identity/permissions.ts';
import type { Feature } from '../feature.ts';
import { isServed, runsSchedules } from '../role.ts';

/** With the earlier paths of its routes, which have no `/admin`. */
const paths = ['/admin/cron', '/admin/cron/*', '/cron', '/cron/*'];

/** Jobs that run at once, each on a connection of its own; more of them wait for one. */
const MOST_CALLS = 5;

/** Scheduled jobs. Without accounts they run, and only their routes are not to be had. A start without timers runs them by hand. */
export const cron: Feature = {
  name: 'cron',
  rows: [{ feature: 'admin', paths, switch: 'auth', off: adminUnavailable, built: true }],
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
  serviceCalls(config) {
    const count = Object.values(config.settingsFile.crons ?? {}).filter(({ function: name }) => name !== undefined).length;
    if (runsSchedules(config)) return Math.min(MOST_CALLS, count);
    return isServed({}, config) ? Math.min(1, count) : 0;
  },
};
