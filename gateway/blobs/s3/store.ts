import type { Resumable } from '../resumable.ts';
import type { Listed, ObjectInfo, Opened, Place, Span, Store } from '../store.ts';
import { decoded, openBucket } from './bucket.ts';
import { isReplaced, isMissing, readFailed, statusOf, writeFailed, type Connection } from './connection.ts';
import { takeIn } from './intake.ts';
import { fromHeaders } from './kind.ts';
import { allOf, watched } from './reading.ts';
import { resumable } from './resumable.ts';
import { entries, type Entry } from './entries.ts';
import { ABANDONED, discardAbandoned } from './unfinished.ts';
import type { HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { ApiError } from '../../error.ts';

/** A bucket of S3, or of a store that speaks as it does. */
export type RemoteStore = Store & {
  uploads: Resumable;
  /** Every object whose key begins so, with its size and time. */
  entries: (prefix: string) => Promise<Entry[]>;
  /** Discards leftovers of uploads that began long ago and were abandoned. */
  sweep: (before?: Date) => Promise<void>;
  close: () => void;
};

/** Begins the token of a page. */
const MARK = 'page:';

/** Below this a reader gets bytes. */
const FEW = 256 * 1024;

export function remoteStore(engine: 's3' | 'gcs', connection: Connection, name: string): RemoteStore {
  const bucket = openBucket(connection, name);
  const store: RemoteStore = {
    engine,
    bucket: name,
    intake: ({ key }, kind, size) => new Promise(resolve => resolve(takeIn(bucket, key, kind, size))),
    async info({ key }) {
      if (isFolder(key)) return undefined;
      const found = await bucket.head(key).catch(rejectRead);
      return found && infoOf(found);
    },
    async open(place) {
      const info = await store.info(place);
      return info && { info, read: span => read(place, info, span), close: () => undefined };
    },
    async list(_, prefix, limit, after) {
      const from = after === undefined ? {} : { ContinuationToken: tokenOf(after) };
      const page = await bucket.list({ Prefix: prefix, Delimiter: '/', MaxKeys: limit, EncodingType: 'url', ...from })
        .catch((error: unknown) => { throw statusOf(error) === 400 && after !== undefined ? foreign() : readFailed(error); });
      const listed: Listed = {
        // A folder that stays though it is empty is an object of that name.
        keys: (page.Contents ?? []).map(({ Key = '' }) => decoded(Key)).filter(key => key !== prefix),
        prefixes: (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => decoded(Prefix)),
      };
      return page.NextContinuationToken === undefined ? listed : { ...listed, next: MARK + page.NextContinuationToken };
    },
    async folder({ key }) {
      const type = { ContentType: 'application/x-directory' };
      await bucket.put(isFolder(key) ? key : `${key}/`, Buffer.alloc(0), type).catch(rejectWrite);
    },
    async remove({ key }, version) {
      // Not all stores know a conditional DELETE, so the object is looked at right before.
      if (version !== undefined && (await bucket.head(key).catch(rejectRead))?.ETag !== version) return;
      await bucket.remove(key).catch(rejectWrite);
    },
    uploads: resumable(() => bucket),
    entries: prefix => entries(bucket, prefix).catch(rejectRead),
    sweep: (before = new Date(Date.now() - ABANDONED)) => discardAbandoned(bucket, before).catch(rejectWrite),
    close: connection.close,
  };
  return store;

  async function read({ key }: Place, { size, version }: ObjectInfo, span?: Span): Promise<Awaited<ReturnType<Opened['read']>>> {
    if (size === 0) return Buffer.alloc(0);
    const range = span === undefined ? undefined : `bytes=${span.start}-${span.end}`;
    const body = await bucket.get(key, version, range).catch((error: unknown) => {
      if (isReplaced(error) || isMissing(error)) {
        throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'The file was replaced or removed meanwhile. Try again.');
      }
      throw readFailed(error);
    });
    const stream = watched(body, connection.deadlines.progress, readFailed);
    return (span === undefined ? size : span.end - span.start + 1) <= FEW ? allOf(stream) : stream;
  }
}

/** Some stores fail over a text that is no token. */
function tokenOf(after: string): string {
  if (!after.startsWith(MARK)) throw foreign();
  return after.slice(MARK.length);
}

function foreign(): RangeError {
  return new RangeError('It is no next of a list.');
}

function isFolder(key: string): boolean {
  return key.endsWith('/');
}

function infoOf({ ContentLength = 0, ContentType, ETag = '', LastModified = new Date(0), Metadata }: HeadObjectCommandOutput): ObjectInfo {
  return { ...fromHeaders(ContentType, Metadata), size: ContentLength, modified: LastModified, version: ETag };
}

function rejectRead(error: unknown): never {
  throw readFailed(error);
}

function rejectWrite(error: unknown): never {
  throw writeFailed(error);
}
