import { ApiError } from '../../error.ts';
import type { ResumableStore } from '../../blobs/resumable.ts';
import { DEFAULT_SOURCE, type Store } from '../../blobs/store.ts';

/** Where files lie. `maxFileSize`: in bytes, where one is set. */
export type Source = {
  key: string;
  engine: Store['engine'];
  store: ResumableStore;
  label?: string | undefined;
  maxFileSize?: number | undefined;
  allowedMimeTypes?: readonly string[] | undefined;
};

/** A source that is declared and cannot be used, with the variable that it lacks. */
export type Missing = Pick<Source, 'key' | 'engine' | 'label'> & { variable: string };

export type SourceList = {
  served: readonly Source[];
  missing: readonly Missing[];
  /** The variable that would configure the default source. */
  variable: string;
};

export type Sources = {
  served: readonly Source[];
  all: readonly (Source | Missing)[];
  /** Undefined, blank and `(default)` are one. @throws ApiError 400 UNKNOWN_STORAGE_SOURCE, 501 of one that is not configured. */
  resolve: (storageId: string | undefined) => Source;
};

export function createSources({ served, missing, variable }: SourceList): Sources {
  const all = [...served, ...missing];
  const ids = all.map(({ key }) => key);

  return { served, all, resolve };

  function resolve(storageId: string | undefined): Source {
    const key = sourceKey(storageId);
    const source = served.find(source => source.key === key);
    if (source !== undefined) return source;
    const lacking = missing.find(source => source.key === key);
    if (lacking !== undefined && key !== DEFAULT_SOURCE) {
      throw new ApiError(501, 'STORAGE_SOURCE_NOT_CONFIGURED', `The storage source ${key} is not configured: set ${lacking.variable}.`);
    }
    if (key === DEFAULT_SOURCE) throw notConfigured(lacking?.variable ?? variable, ids);
    const message = `There is no storage source ${key}; there are ${ids.join(', ')}.`;
    throw new ApiError(400, 'UNKNOWN_STORAGE_SOURCE', message, { storageSources: ids });
  }
}

export function sourceKey(storageId: string | undefined): string {
  return storageId?.trim() || DEFAULT_SOURCE;
}

export function notConfigured(variable: string, ids: readonly string[] = []): ApiError {
  const others = ids.filter(id => id !== DEFAULT_SOURCE);
  const message = others.length === 0
    ? `This deployment has no storage: set ${variable}.`
    : `This deployment has no default storage: name one of ${others.join(', ')} by storageId, or set ${variable}.`;
  return new ApiError(501, 'STORAGE_NOT_CONFIGURED', message, { setting: variable, ...(others.length > 0 && { storageSources: others }) });
}

/**
 * The bucket as the store knows it. A local folder is created by the first write; a remote bucket is the configured one.
 * @throws ApiError 404 UNKNOWN_STORAGE_SOURCE.
 */
export function bucketOf({ engine, store }: Source, bucket: string | undefined, sources: Sources): string {
  if (bucket === undefined || bucket === 'default' || bucket === store.bucket) return store.bucket;
  if (engine === 'local') return bucket;
  throw new ApiError(404, 'UNKNOWN_STORAGE_SOURCE', `There is no bucket ${bucket} here.`, {
    bucket, knownBuckets: ['default', store.bucket], storageSources: sources.all.map(({ key }) => key),
  });
}

/** The name of a bucket in rules and functions. */
export function nameOf({ store }: Source, bucket: string): string {
  return bucket === store.bucket ? 'default' : bucket;
}
