import type { RemoteStore } from '../../blobs/s3/store.ts';
import type { Config } from '../config.ts';
import type { Destination } from './destination.ts';
import { isOfBackup } from './names.ts';
import type { Place } from './settings.ts';

type Remote = Exclude<Place, { kind: 'local' }>;

const KIND = { contentType: 'application/octet-stream', custom: {} };
/** Characters that a key may have at most. */
const LONGEST = 1_024;
const DAY = 24 * 3_600_000;

export async function openBackupBucket(place: Remote, config: Config): Promise<Destination> {
  const isShared = config.storageSources.some(source => 's3' in source && source.s3.bucket === place.bucket);
  return bucketDestination(place, await openStore(place, config), isShared);
}

/**
 * An object is there when all of it is, so a bucket needs no other name for one that is on its way.
 * @param isShared whether files are uploaded to the same bucket
 */
export function bucketDestination({ kind, bucket, prefix }: Remote, store: RemoteStore, isShared = false): Destination {
  const keyOf = (name: string) => prefix + name;
  return {
    kind,
    keyOf,
    async list() {
      const found = await store.entries(prefix);
      return found.map(entry => ({ ...entry, name: entry.key.slice(prefix.length) }))
        .filter(({ name }) => !name.includes('/') && isOfBackup(name));
    },
    async open(key) {
      const name = key.slice(prefix.length);
      if (key !== keyOf(name) || name.includes('/') || !isOfBackup(name) || /\p{Cc}/u.test(name) || key.length > LONGEST) return undefined;
      const opened = await store.open({ bucket, key });
      return opened && { size: opened.info.size, read: opened.read, close: opened.close };
    },
    async receive(name, size) {
      const { write, finish, drop } = await store.intake({ bucket, key: keyOf(name) }, KIND, size);
      return { write, finish: async () => { await finish(); }, drop };
    },
    remove: name => store.remove({ bucket, key: keyOf(name) }),
    // Uploads of files may take longer than a day.
    sweep: () => store.sweep(...isShared ? [] : [new Date(Date.now() - DAY)]),
    close: store.close,
  };
}

/** The SDK takes 15 MiB and is loaded only where there is a bucket. The variables are those of the files' default source. */
async function openStore({ kind, bucket }: Remote, config: Config): Promise<RemoteStore> {
  if (kind === 'gcs') {
    const { gcsKeyFilename, googleApplicationCredentials, gcsProjectId: projectId } = config;
    const keyFilename = gcsKeyFilename ?? googleApplicationCredentials ?? '';
    return (await import('../../blobs/gcs/store.ts')).gcsStore({ bucket, keyFilename, projectId });
  }
  const [{ connectS3 }, { remoteStore }] = await Promise.all([import('../../blobs/s3/connection.ts'), import('../../blobs/s3/store.ts')]);
  const { s3Region, s3AccessKeyId = '', s3SecretAccessKey = '', s3Endpoint: endpoint, s3ForcePathStyle } = config;
  return remoteStore('s3', connectS3({
    region: s3Region === 'auto' ? 'us-east-1' : s3Region, accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey, endpoint,
    forcePathStyle: s3ForcePathStyle ?? endpoint !== undefined,
  }), bucket);
}
