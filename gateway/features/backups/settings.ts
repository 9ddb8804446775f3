import { setting } from '../../config/setting.ts';
import { bucketName, oneLine, text, wholeNumber, type Value } from '../../config/value.ts';

/** A folder, or what keys of a bucket begin with: empty, or with a slash at the end. */
export type Place = { kind: 'local'; folder: string } | { kind: 's3' | 'gcs'; bucket: string; prefix: string };

const KINDS = { s3: 's3', gs: 'gcs' } as const;

const place: Value<Place> = {
  expected: 'a folder, s3://bucket/prefix or gs://bucket/prefix',
  read(given) {
    const [, scheme, rest = ''] = /^([a-z][a-z\d+.-]*):\/\/(.*)$/i.exec(given) ?? [];
    if (scheme === undefined) return { kind: 'local', folder: given };
    const kind = KINDS[scheme as keyof typeof KINDS] as 's3' | 'gcs' | undefined;
    const [bucket = '', ...folders] = rest.split('/').filter((part, n) => n === 0 || part !== '');
    if (kind === undefined || bucketName.read(bucket) === undefined || /[?#\p{Cc}]/u.test(rest)) return undefined;
    return { kind, bucket, prefix: folders.map(folder => `${folder}/`).join('') };
  },
};

export const backupsSettings = {
  backupSchedule: setting('BACKUP_SCHEDULE', oneLine, undefined,
    'When the database is backed up: minute, hour, day of the month, month, day of the week, in UTC; unset: only when asked.'),
  backupDestination: setting('BACKUP_DESTINATION', place, undefined,
    'Where backups go: a folder, s3://bucket/prefix or gs://bucket/prefix.'),
  backupRetentionDays: setting('BACKUP_RETENTION_DAYS', wholeNumber(0), 0, 'Days after which a backup is deleted; 0: never.'),
  backupKeepMinimum: setting('BACKUP_KEEP_MINIMUM', wholeNumber(0), 0, 'How many of the newest backups are kept however old they are.'),
  pgDumpPath: setting('PG_DUMP_PATH', text, undefined, 'The program pg_dump; unset: the one of this system that fits the server.'),
  pgRestorePath: setting('PG_RESTORE_PATH', text, undefined, 'The program pg_restore, with psql beside it.'),
  pgDumpallPath: setting('PG_DUMPALL_PATH', text, undefined, 'The program pg_dumpall.'),
};
