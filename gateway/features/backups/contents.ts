import { outputOfStarted } from '../../client/program.ts';
import { BootError } from '../../error.ts';
import type { Archive } from './archive.ts';
import type { Session } from './session.ts';

/** The table of contents of a dump, a line an entry, as pg_restore takes it back. */
export type Contents = { database: string; entries: string[] };

/** @throws BootError for what is no dump, one of another product, or one of a newer server. */
export async function readContents(archive: Archive, { client, server }: Session, signal: AbortSignal): Promise<Contents> {
  const text = await outputOfStarted(await archive.start({ path: client.restore, args: ['--list'], env: {}, signal }));
  const header = (name: string) => new RegExp(`^;\\s+${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
  const entries = text.split('\n').filter(line => /^\d+; /.test(line));
  const from = parseInt(header('Dumped from database version'), 10);
  if (from > server) {
    throw new BootError(`${archive.name} is of PostgreSQL ${from}, and the server is ${server}: it needs ${from} or later.`);
  }
  if (!entries.some(line => /^\d+; \d+ \d+ SCHEMA - service /.test(line))) {
    throw new BootError(`${archive.name} is no backup of this service: it has no schema service.`);
  }
  return { database: header('dbname'), entries };
}

/** Entries that a restore leaves out: a start makes the event triggers, and a copy must not subscribe to what the original does. */
const LEFT_OUT = /^\d+; \d+ \d+ (?:(?:COMMENT|SECURITY LABEL) - )?(?:EVENT TRIGGER|SUBSCRIPTION) /;
/** Entries that only a superuser, or the owner of the thing, can restore. */
const OF_OTHERS = /^\d+; \d+ \d+ (?:COMMENT - EXTENSION|(?:COMMENT|ACL) - SCHEMA public) /;

/** The entries that this login can restore. */
export function restorable(entries: readonly string[], login: { name: string; isSuperuser: boolean }): string[] {
  return entries.filter(entry => {
    if (LEFT_OUT.test(entry)) return false;
    if (login.isSuperuser) return true;
    return !OF_OTHERS.test(entry) && !(/^\d+; \d+ \d+ DEFAULT ACL /.test(entry) && !entry.endsWith(` ${login.name}`));
  });
}
