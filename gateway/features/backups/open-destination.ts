import type { Config } from '../config.ts';
import type { Destination } from './destination.ts';

/** Undefined where no setting names one. */
export async function openDestination(config: Config): Promise<Destination | undefined> {
  const { backupDestination: place } = config;
  if (place === undefined) return undefined;
  if (place.kind === 'local') return (await import('./folder.ts')).openFolder(place.folder);
  return (await import('./bucket.ts')).openBackupBucket(place, config);
}
