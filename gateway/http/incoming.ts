/** What takes in the bytes of a body. */
export type Sink = {
  /** Takes a copy of the bytes, always: their memory is gone after the call. False asks the client to wait until `ready`. */
  push: (bytes: Uint8Array) => boolean;
  ready: () => Promise<void>;
};

/** A body on its way in. Nothing of it is taken before somebody asks. */
export type Incoming = {
  /** Bytes that were announced; undefined where they come in chunks. */
  readonly length: number | undefined;
  /**
   * Resolves when the sink has all of it.
   * @throws ClientLeft when the client left, or sent nothing for too long: the sink has what came before. What the sink throws.
   */
  into: (sink: Sink) => Promise<void>;
  /** Ends the connection: to its sink the client has left. */
  cut: () => void;
};

export const NOTHING: Incoming = { length: 0, into: () => Promise.resolve(), cut: () => undefined };
