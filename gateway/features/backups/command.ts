import type { AskProject } from '../command.ts';
import { BootError } from '../../error.ts';
import { shown } from '../../process/printable.ts';
import { makeBackup, type Backup } from './backup.ts';
import { openDestination } from './destination.ts';
import { backupsSettings } from './settings.ts';

/**
 * `rowgate backup`: backs the project's database up to BACKUP_DESTINATION.
 * @throws BootError of one line: nothing of the backup is left then.
 */
export function backupCommand({ json }: { json: boolean }, askProject: AskProject): Promise<void> {
  return askProject('backup', async (owner, config) => {
    const destination = await openDestination(config);
    if (destination === undefined) throw new BootError(`There is nowhere to back up to: set ${backupsSettings.backupDestination.name}.`);
    try {
      const made = await makeBackup({ owner, config, destination, signal: interruption() });
      return json ? JSON.stringify(made, null, 2) : shown(inWords(made));
    } finally {
      destination.close();
    }
  }, { direct: true, anySchema: true });
}

/** Ctrl-C ends a backup, and leaves nothing of it. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => { interrupted.abort(new Error(`${signal} came.`)); });
  }
  return interrupted.signal;
}

function inWords({ key, rolesKey, sizeBytes, deleted }: Backup): string {
  return [
    `${key}  ${sizeBytes} bytes`,
    `${rolesKey}  the roles of the server`,
    ...deleted.map(name => `${name}  deleted: it was older than backups are kept`),
    'Files of the storage are not part of it.',
  ].join('\n');
}
