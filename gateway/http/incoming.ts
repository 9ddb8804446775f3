/**
 * A body that a handler reads piece by piece. No byte is read before the first piece is asked for. Each piece is a slab, or a part of
 * one, that its consumer gives back with giveSlab(). The iteration throws ClientLeft, after the bytes that arrived, when the client left
 * or sent nothing for too long.
 */
export type Incoming = AsyncIterable<Buffer> & {
  /** Bytes that were announced; undefined for a chunked body. */
  readonly length: number | undefined;
  /** Closes the connection. The iteration ends with ClientLeft. */
  cut: () => void;
};

export const NOTHING: Incoming = { length: 0, cut: () => undefined, async *[Symbol.asyncIterator]() { /* empty */ } };
