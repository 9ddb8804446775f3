import type { Feature } from '../feature.ts';

/** Backups of the database: made by a command or a scheduled job, listed and downloaded by admins, restored by a command. */
export const backups: Feature = {
  name: 'backups',
  rows: [],
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
  commands: {
    backup: {
      does: 'back the database up to BACKUP_DESTINATION; needs pg_dump of the server\'s version or later',
      flags: {
        prove: { type: 'boolean', does: 'restore it into a scratch database, and compare definitions and rows; needs CREATEDB' },
        json: { type: 'boolean', does: 'as a JSON object: {key, rolesKey, sizeBytes, deleted, proof}' },
      },
      run: async ({ flags: { prove, json } }, askProject) =>
        (await import('./command.ts')).backupCommand({ prove: prove === true, json: json === true }, askProject),
    },
    restore: {
      does: 'restore a backup into the empty database of DATABASE_URL, all or nothing',
      takes: { words: '<file|key>', most: 1 },
      flags: {
        clean: { type: 'boolean', does: 'delete everything in the database first' },
        'with-jobs': { type: 'boolean', does: 'let the jobs run that wait in the backup; they are set to failed without it' },
      },
      run: async ({ flags: { clean, 'with-jobs': withJobs }, words: [given] }, askProject) =>
        (await import('./command.ts')).restoreCommand({ given, clean: clean === true, withJobs: withJobs === true }, askProject),
    },
  },
};
