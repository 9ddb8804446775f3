import type { Readable } from 'node:stream';

/** The name of the source of files that the variables without a suffix describe, in requests and in the settings file. */
export const DEFAULT_SOURCE = '(default)';

/** Where an object is: the bucket as its store knows it (local: a folder), and the canonical key. */
export type Place = { bucket: string; key: string };

/** The description of an object by its uploader. */
export type Kind = { contentType: string; custom: Readonly<Record<string, string>> };

export type ObjectInfo = Kind & {
  size: number;
  /** In whole milliseconds. */
  modified: Date;
  /** Another one when the bytes are others. */
  version: string;
  /** On a local disk: the content of the sidecar, if there is one. */
  sidecar?: Readonly<Record<string, unknown>>;
};

/** From the first byte to the last, both included. */
export type Span = { start: number; end: number };

/** Takes bytes in order. */
export type Sink = {
  /** Resolves when more may follow; then the memory is the caller's again. One call at a time. Rejects with the error of the store. */
  write: (bytes: Uint8Array) => Promise<void>;
};

/**
 * A sink that makes an object. The object becomes visible in `finish`, whole and with its kind, and not at all without it. After a
 * failure nothing is left of it.
 */
export type Intake = Sink & {
  /** Resolves when the object is durable. */
  finish: () => Promise<ObjectInfo>;
  /** Discards what was written. */
  drop: () => Promise<void>;
};

/** `recycle`, where there is one, takes back each piece that is no longer read. */
export type Source = Readable & { recycle?: (piece: Uint8Array) => void };

/** An object as it was when it was opened: a later replacement does not change its bytes. */
export type Opened = {
  info: ObjectInfo;
  /** The whole file, or a span: as bytes when it is small, else as a stream. Ending the stream early cancels the request to the store. */
  read: (span?: Span) => Promise<Buffer | Source>;
  /** Where nothing, or not all, was read. */
  close: () => void;
};

export type Listed = { keys: string[]; prefixes: string[]; next?: string };

/** Blobs with their kinds, on a disk or in a bucket. It knows nothing of callers. */
export type Store = {
  engine: 'local' | 's3' | 'gcs';
  /** The bucket that `default` stands for. */
  bucket: string;
  /** A known size may decide how it is taken in. */
  intake: (place: Place, kind: Kind, size?: number) => Promise<Intake>;
  info: (place: Place) => Promise<ObjectInfo | undefined>;
  open: (place: Place) => Promise<Opened | undefined>;
  /** One level below a prefix (`` or `a/b/`), by names; `after` is the `next` of the page before. @throws RangeError for a foreign one. */
  list: (bucket: string, prefix: string, limit: number, after?: string) => Promise<Listed>;
  /** A folder that stays though it is empty. */
  folder: (place: Place) => Promise<void>;
  /** An object that is not there counts as removed. With a version, another one stays. */
  remove: (place: Place, version?: string) => Promise<void>;
  /** Where it has a disk: a folder for files on their way, and what makes an object of one that is written and synced, without a copy. */
  aside?: { folder: () => Promise<string>; adopt: (file: string, place: Place, kind: Kind) => Promise<ObjectInfo> };
};
