import type { Opened } from '../../blobs/store.ts';

/** A file of a destination. `key`: its path, or that of the object. */
export type Stored = { key: string; name: string; size: number; modified: Date };

/** A file that is on its way: it has another name, or is no object yet. */
export type Receiving = {
  /** An open file, which a program writes by itself: its bytes never pass through the gateway. Without one they are written here. */
  file?: { descriptor: number; path: string };
  write: (bytes: Uint8Array) => Promise<void>;
  /** Gives it its name, once it is durable. */
  finish: () => Promise<void>;
  /** Discards it. */
  drop: () => Promise<void>;
};

/** A place for backups. */
export type Destination = {
  kind: 'local' | 's3' | 'gcs';
  keyOf: (name: string) => string;
  /** The dumps and the roles, in no order. */
  list: () => Promise<Stored[]>;
  /** Undefined for a key of anything else. */
  open: (key: string) => Promise<Pick<Opened, 'read' | 'close'> & { size: number } | undefined>;
  /** @param size about how many bytes it will be */
  receive: (name: string, size?: number) => Promise<Receiving>;
  remove: (name: string) => Promise<void>;
  /** Deletes what backups left that were begun and never ended. */
  sweep: () => Promise<void>;
  close: () => void;
};
