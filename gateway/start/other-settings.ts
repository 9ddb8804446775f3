import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { Listening } from '../database/listen.ts';

type Other = { address: string; since: Date | null; subjects: string[] };

/**
 * Lets other starts know which settings this gateway runs with, for as long as it runs, and says in one line when another gateway runs
 * with others. Without a session of its own (`here`) the gateway only looks: no other start learns of it.
 * @param given the settings that live in the database, where those of the last start stand, by subject
 */
export async function compareSettings(
  owner: postgres.Sql, here: Listening | undefined, given: Readonly<Record<string, unknown>>, log: Logger,
): Promise<void> {
  const settings = JSON.stringify(given);
  const locks = await owner<{ key: number; digest: number }[]>`
    select key, digest from service_private.settings_digests(${settings}::text::jsonb)`;
  // Before it looks, so that of two starts at once at least one sees the other.
  await here?.keep(`select ${locks.map(({ key, digest }) => `pg_advisory_lock_shared(${key}, ${digest})`).join(', ')}`);
  const others = await owner<Other[]>`
    select address, since, to_json(subjects) as subjects from service_private.other_gateways(${settings}::text::jsonb)`;
  if (others.length > 0) log.warn(inOneLine(others));
}

function inOneLine(others: readonly Other[]): string {
  const gateways = others.map(({ address, since }) => `${address}${since === null ? '' : ` since ${since.toISOString()}`}`);
  const subjects = [...new Set(others.flatMap(({ subjects }) => subjects))];
  const [who, stand] = others.length === 1 ? ['Another gateway', 'both'] : [`${others.length} other gateways`, 'all'];
  return `${who} of this database (${gateways.join('; ')}) ${others.length === 1 ? 'runs' : 'run'} with other settings of `
    + `${subjects.join(', ')}. They live in the database: those of this start stand for ${stand} from now on. See rowgate settings.`;
}
