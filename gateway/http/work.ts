/** The work of a request in the database. A handler that knows it writes it down, for the log of slow requests. */
export type Work = {
  /** The request without its values, once it is parsed. */
  shape?: object | undefined;
  /** The rows that were found, as JSON. */
  found?: Uint8Array | null | undefined;
  /** Milliseconds that its statements waited for a connection, and that the server was at them. */
  waited: number;
  served: number;
};

export function newWork(): Work {
  return { shape: undefined, found: undefined, waited: 0, served: 0 };
}
