import { sendBatch, type Batch, type Outcome } from './batch.ts';
import { createRows, type Collection } from './collection.ts';
import type { Connection, Token, WriteOptions } from './request.ts';
import type { AnySchema, CollectionOf, Facts, Slug } from './schema.ts';

export { RowgateError, type Code, type MfaRequired } from './error.ts';
export type { ErrorCode } from './codes.ts';
export type { Batch, Operation, Ref, Removal } from './batch.ts';
export type { Collection, RelatedRows, Rows } from './collection.ts';
export type { AggregateQuery, Filter, GetQuery, Include, ListQuery, Where } from './query.ts';
export type { Change, Meta, Page, Result } from './result.ts';
export type { Options, WriteOptions } from './request.ts';
export type { AnySchema, Facts } from './schema.ts';

export type ClientOptions<S extends AnySchema> = {
  /** The address of the service, `https://api.example.com`, or that of its API where that is another than `/api` below it. */
  url: string;
  /** `schema` of the file that `rowgate types` writes. */
  schema: Facts;
  /** An access token, an API key or the service key; or a function that is asked for it before each request. */
  token?: string | (() => Token | Promise<Token>);
  /** For every request; a request's own precede them. */
  headers?: Record<string, string>;
  /** Milliseconds that a call may take, with everything that is sent again. Unset: no bound but the signal's. */
  timeout?: number;
  /** How often a request is sent again after a lost connection: 3. */
  retries?: number;
  fetch?: typeof fetch;
  /** Tells of a server with another schema than the types: the console, where the service is on this machine. */
  warn?: (message: string) => void;
} & (S['digits'] extends string ? {
  /** `number` rounds numbers that a double cannot hold in every digit, and takes `Schema<number>`. */
  numbers?: 'digits';
} : { numbers: 'number' });

export interface Client<S extends AnySchema> {
  /** The rows of a collection. */
  from<N extends Slug<S>>(collection: N): Collection<S, CollectionOf<S, N>>;
  /** `POST /data/_batch`: writes of several collections, all of them or none. Returns the rows in place of the operations. */
  batch<const T>(describe: (batch: Batch<S>) => T, options?: WriteOptions): Promise<Outcome<T>>;
}

export function createClient<S extends AnySchema>(options: ClientOptions<S>): Client<S> {
  const { url, schema: facts, token, numbers, timeout, retries, headers } = options;
  const connection: Connection = {
    base: baseOf(url), facts, exact: numbers !== 'number', token: typeof token === 'function' ? token : () => token,
    // The browser's own is called as a function of its window.
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    ...timeout !== undefined && { timeout }, ...retries !== undefined && { retries }, ...headers && { headers },
  };
  let warn = options.warn ?? (isHere(url) ? console.warn : undefined);
  const begin = (): Connection => {
    if (warn !== undefined) void compare(connection, warn);
    warn = undefined;
    return connection;
  };
  return {
    from: slug => createRows(begin(), [slug], slug) as never,
    batch: (describe, more) => sendBatch(begin(), describe, more) as never,
  };
}

function baseOf(url: string): string {
  const address = url.replace(/\/+$/, '');
  return /^\w+:\/\/[^/]+$/.test(address) ? `${address}/api` : address;
}

function isHere(url: string): boolean {
  return /^\w+:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(url);
}

/** Asks the service once for the version of its schema. */
async function compare({ base, facts, fetch }: Connection, warn: (message: string) => void): Promise<void> {
  try {
    const { schemaVersion } = await (await fetch(`${base}/meta/schema-version`)).json() as { schemaVersion?: string };
    if (typeof schemaVersion === 'string' && schemaVersion !== facts.version) {
      warn(`The types are of schema ${facts.version}, the service has ${schemaVersion}: run rowgate types.`);
    }
  } catch {
    // Requests say that it does not answer.
  }
}
