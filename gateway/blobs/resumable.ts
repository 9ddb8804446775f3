import type { Kind, ObjectInfo, Place, Sink, Store } from './store.ts';

/**
 * An upload in pieces, as its store left it: JSON, which the caller keeps, and with which any gateway continues. Work of another piece that
 * is not in it counts as never done.
 */
export type Upload = {
  id: string;
  place: Place;
  kind: Kind;
  /** In bytes, of the whole. */
  length: number;
  /** How much of it is durable. */
  offset: number;
  /** The store's own. */
  held?: unknown;
};

/**
 * A sink for more bytes of an upload. After a failure `write` and `end` reject with the error of the store; the state that `saved` was
 * last called with is still there.
 */
export type Piece = Sink & {
  /** Makes every byte written so far durable, also after a break. Ends the piece. */
  end: () => Promise<Upload>;
  /** Lets go of it, of what is not durable yet too. */
  drop: () => Promise<void>;
};

/** Uploads that continue later, or in another process. The caller ensures that one piece is under way at a time. */
export type Resumable = {
  /** Asks nothing of the store: the first piece does. `id` is a name of its own, of letters, digits and dashes. */
  begin: (id: string, place: Place, kind: Kind, length: number) => Upload;
  /** Continues at `upload.offset`. `saved` is called, in order, whenever more is durable; at the latest before `end` resolves. */
  append: (upload: Upload, saved?: (upload: Upload) => Promise<void> | void) => Promise<Piece>;
  /** For a store whose pieces could meet: a piece that was not ended may still be at work, and what it does from now on is ignored. */
  fence?: (upload: Upload) => Upload;
  /** At its full length: the object becomes visible, and nothing else is left. When it fails, it may be called again. */
  complete: (upload: Upload) => Promise<ObjectInfo>;
  /** Whether another object was stored in its place since then. */
  isReplaced: (upload: Upload, since: Date) => Promise<boolean>;
  /** Removes the upload, with pieces that were not ended. */
  discard: (upload: Pick<Upload, 'id' | 'place' | 'held'>) => Promise<void>;
};

export type ResumableStore = Store & { readonly uploads: Resumable };
