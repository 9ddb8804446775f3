import type { Readable } from 'node:stream';
import type { Incoming } from './incoming.ts';
import type { Work } from './work.ts';

/** One request as a handler sees it. Everything is copied out of the socket before the handler runs. */
export type Call = {
  method: Method;
  /** Path below the base (or root) without the query, percent-encoded as sent: `/data/album/1`. */
  path: string;
  /** The raw query string without `?`. */
  query: string;
  /** Values of the route pattern's `:names` (and `*`), percent-decoded. */
  params: Record<string, string>;
  /** Header by lower-case name; empty string when absent. */
  header(name: string): string;
  /** Every header line, names in lower case. */
  allHeaders(): [name: string, value: string][];
  requestId: string;
  /** The client's address, as far as `TRUSTED_PROXY_HOPS` lets it be told. */
  ip: string;
  /** Aborted when the client goes away before the answer. */
  signal: AbortSignal;
  /** Whether it has gone, for those who only look. */
  readonly gone: boolean;
  /**
   * Reads the connection on, although the request may change something, and calls `left` if the client leaves before the answer. Cheaper
   * than `signal`.
   */
  watch(left: () => void): void;
  /**
   * Keeps further requests of the connection waiting until the answer, so that a request which changes something is answered, or not run.
   * A route with a body does so by itself, unless it has `changesNothing`. @throws ClientLeft
   */
  hold(): Promise<void>;
  /** Its work in the database, where the handler tells it. */
  work?: Work | undefined;
  /** Added to the log's entry of the request, where the handler tells it: never a value of its body. */
  noted?: Readonly<Record<string, string>> | undefined;
  /** Headers of the answer, for any outcome of the request. */
  readonly answerHeaders: Record<string, string>;
  /** The raw body; empty without one. Limited by SERVICE_MAX_BODY_SIZE, and gone when it is answered. */
  body: Buffer;
  /** The body on its way in, of a route that `receives`. */
  readonly incoming: Incoming;
  /** The body as sent, for handlers that parse JSON themselves. @throws ApiError 415 UNSUPPORTED_MEDIA_TYPE. */
  jsonBytes(): Buffer;
  /** The body as a JSON object. @throws ApiError 415 UNSUPPORTED_MEDIA_TYPE, 400 BAD_REQUEST. Blank is `{}`. */
  json(): Record<string, unknown>;
};
export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/**
 * Bytes that come from elsewhere: exactly so many, or until the source ends. A source that fails, or ends before its length, ends the
 * connection: never a short body that looks whole.
 */
export type Streamed = {
  /** Undefined where it is not known: the body goes out in chunks, the head with the first of them. */
  readonly length?: number | undefined;
  /** Not for a HEAD. Destroyed when the client leaves. */
  readonly source?: Readable;
  /** Told of each piece of the source when it is sent and its memory may be used again. */
  readonly recycle?: (piece: Uint8Array) => void;
};

/** By name; a list is one line a value, as cookies need it. */
export type ReplyHeaders = Record<string, string | readonly string[]>;

/** The answer of a handler. `type` defaults to JSON; a body of undefined sends none. */
export type Reply = {
  status?: number;
  headers?: ReplyHeaders;
  type?: string;
  body?: string | Uint8Array | Streamed;
  /** A stored file: it is sent as it is, never compressed, and pages may show it in frames. */
  isFile?: true;
  /** An answer of the project: it is never compressed, and its headers stand in place of the same ones of the service. */
  asIs?: true;
};

/** One row of the route table. A GET route answers HEAD too. */
export type Route = {
  method: Method | 'ANY';
  /** `/data/:slug`, `/data/*`; below the base path unless `root`. */
  path: string;
  root?: true;
  /** Its parameters stay percent-encoded, as they were sent. */
  verbatim?: true;
  /** Whether a body may come in: throws, or rejects with, what refuses it. Without this a body is passed over. */
  admit?: (call: Call) => unknown;
  /** It reads only, although it has a body, or calls `hold` first: its `signal` tells when the client leaves, as that of a GET does. */
  changesNothing?: true;
  /** Pages of every origin may call it and read its answers: its callers prove themselves, and no cookie counts. */
  isOpen?: true;
  /** The handler reads the body as it arrives (`incoming`), instead of whole. Clients that still send read an early answer. */
  receives?: true;
  handle: (call: Call) => Reply | Promise<Reply>;
};
