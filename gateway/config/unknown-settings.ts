import { closestMatch } from '../spelling.ts';
import { fileVariables } from './secret-files.ts';
import type { SettingsTable } from './read-settings.ts';
import type { Environment } from './setting.ts';

const PREFIX = 'SERVICE_';

/** Variables of other services of this kind that have no effect here, and what takes their place. */
export const REPLACED: Readonly<Record<string, string>> = {
  SERVICE_DB_POOL_MAX: 'DB_POOL_MAX is the total of a start, of all its connections and workers',
  MFA_ENCRYPTION_KEY_PREVIOUS: 'older keys follow the first in MFA_ENCRYPTION_KEY, separated by commas',
  DISABLE_DB_ROLE_SWITCHING: 'requests always run as service_user, under row security; DATABASE_READER_URL and DATABASE_WRITER_URL name '
    + 'logins where the service may not create them',
  ALLOW_LOCALHOST_IN_PRODUCTION: 'production accepts loopback addresses; CORS_ORIGINS lists the origins that may call',
  SERVICE_SERVE_STATIC: 'no static files are served; SERVICE_ENABLE_SWAGGER switches the API explorer',
  SERVICE_CRON_ALWAYS_ON: 'schedules run wherever SERVICE_CRON_SCHEDULER, or the role, says so, as long as the process lives',
};

/** One line for each variable that is replaced, or named like one of the table and not in it. */
export function unknownSettings(table: SettingsTable, env: Environment): string[] {
  const named = Object.values(table).flatMap(({ name, alias }) => alias === undefined ? [name] : [name, alias]);
  const names = new Set([...named, ...fileVariables(table)]);
  // The prefix would make all of them alike.
  const byOwnPart = new Map([...names].map(name => [ownPart(name), name]));
  return Object.keys(env)
    .filter(name => (name.startsWith(PREFIX) || name in REPLACED) && env[name]?.trim() !== '' && !names.has(name))
    .map(name => {
      if (name in REPLACED) return `${name} has no effect: ${REPLACED[name]}.`;
      const meant = byOwnPart.get(closestMatch(ownPart(name), [...byOwnPart.keys()]) ?? '');
      return `${name} is no setting of this version and has no effect.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
    });
}

function ownPart(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}
