import type { AskProject } from '../command.ts';
import { BootError } from '../../error.ts';
import { shown } from '../../process/printable.ts';
import { findArchive } from './archive.ts';
import { inOneLine, makeBackup, type Backup, type Made } from './backup.ts';
import { openDestination } from './open-destination.ts';
import { proveBackup, requireProvable } from './prove.ts';
import { restore } from './restore.ts';
import { openSession } from './session.ts';
import { backupsSettings } from './settings.ts';

/**
 * `rowgate backup`: backs the project's database up to BACKUP_DESTINATION.
 * @throws BootError of one line: nothing of the backup is left then.
 */
export function backupCommand({ prove, json }: { prove: boolean; json: boolean }, askProject: AskProject): Promise<void> {
  return askProject('backup', async (owner, config) => {
    const destination = await openDestination(config);
    if (destination === undefined) throw new BootError(`There is nowhere to back up to: set ${backupsSettings.backupDestination.name}.`);
    try {
      const signal = interruption();
      if (prove) await requireProvable(owner);
      const proving = prove ? (made: Made) => proveBackup(made, destination, signal) : undefined;
      const made = await makeBackup({ owner, config, destination, signal, prove: proving });
      return json ? JSON.stringify(made, null, 2) : shown(inWords(made));
    } finally {
      destination.close();
    }
  }, { direct: true, anySchema: true });
}

/**
 * `rowgate restore FILE|KEY`: restores a backup into the database of DATABASE_URL, which has to be empty.
 * @throws BootError of one line: the database is as it was then.
 */
export function restoreCommand(
  { given, clean, withJobs }: { given: string | undefined; clean: boolean; withJobs: boolean }, askProject: AskProject,
): Promise<void> {
  if (given === undefined) throw new BootError('It is rowgate restore FILE|KEY: a file, or a backup of BACKUP_DESTINATION.');
  return askProject('restore', async (owner, config) => {
    const destination = await openDestination(config);
    try {
      const archive = await findArchive(given, destination);
      const session = await openSession(owner, config);
      const { database } = await restore({ archive, session, owner, clean, withJobs, signal: interruption() });
      return shown([
        `${archive.name}, a backup of ${database}, is restored into ${session.database}.`,
        ...withJobs ? [] : ['Its waiting jobs are set to failed ("restored"): select service.job_retry(id) lets one run.'],
        'The next start makes the event triggers, and the logins of the gateway.',
      ].join('\n'));
    } catch (error) {
      throw inOneLine('The restore', error);
    } finally {
      destination?.close();
    }
  }, { direct: true, own: true, anySchema: true });
}

/** Ctrl-C ends a backup or a restore, and leaves nothing of it. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => { interrupted.abort(new Error(`${signal} came.`)); });
  }
  return interrupted.signal;
}

function inWords({ key, rolesKey, sizeBytes, deleted, proof }: Backup): string {
  return [
    `${key}  ${sizeBytes} bytes`,
    `${rolesKey}  the roles of the server`,
    ...deleted.map(name => `${name}  deleted: it was older than backups are kept`),
    ...proof === undefined ? [] : [`Proven: restored, it has the same ${proof.tables} tables, ${proof.rows} rows and definitions.`],
    'Files of the storage are not part of it.',
  ].join('\n');
}
