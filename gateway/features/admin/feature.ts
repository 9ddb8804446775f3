import { type Feature } from '../../http/features.ts';
import { adminUnavailable } from '../../identity/permissions.ts';

/** With the earlier paths of its routes, which have no `/admin`. */
const paths = ['/admin', '/admin/*', '/cron', '/cron/*', '/logs', '/logs/*', '/schema-editor', '/schema-editor/*'];

export const adminFeatures: Feature[] = [{ feature: 'admin', paths, switch: 'auth', off: adminUnavailable }];
