import type { Feature } from '../feature.ts';

/** Backups of the database: made by a command or a scheduled job, listed and downloaded by admins, restored by a command. */
export const backups: Feature = {
  name: 'backups',
  rows: [],
  commands: {
    backup: {
      does: 'back the database up to BACKUP_DESTINATION; needs pg_dump of the server\'s version or later',
      flags: {
        json: { type: 'boolean', does: 'as a JSON object: {key, rolesKey, sizeBytes, deleted}' },
      },
      run: async ({ flags: { json } }, askProject) =>
        (await import('./command.ts')).backupCommand({ json: json === true }, askProject),
    },
  },
};
