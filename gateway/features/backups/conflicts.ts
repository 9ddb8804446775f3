import type { Values } from '../../config/read-settings.ts';
import { backupsSettings as settings } from './settings.ts';

type Remote = 's3AccessKeyId' | 's3SecretAccessKey' | 'gcsKeyFilename' | 'googleApplicationCredentials';
type Given = Values<typeof settings> & Readonly<Record<Remote, string | undefined>>;

/** A line for what backups lack: found at the start, and not in the night of the first one. */
export function backupConflicts({ backupSchedule, backupDestination: place, ...remote }: Given): string[] {
  const problems: string[] = [];
  if (backupSchedule !== undefined && place === undefined) {
    problems.push(`${settings.backupSchedule.name} needs ${settings.backupDestination.name}.`);
  }
  if (place?.kind === 's3' && (remote.s3AccessKeyId === undefined || remote.s3SecretAccessKey === undefined)) {
    problems.push(`${settings.backupDestination.name} s3://${place.bucket} needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.`);
  }
  if (place?.kind === 'gcs' && remote.gcsKeyFilename === undefined && remote.googleApplicationCredentials === undefined) {
    problems.push(`${settings.backupDestination.name} gs://${place.bucket} needs GCS_KEY_FILENAME or GOOGLE_APPLICATION_CREDENTIALS.`);
  }
  return problems;
}
