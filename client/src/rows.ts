/** Reads and writes alone, for bundles that need no more: `@rowgate/client/rows`. */
import { createRows, type Collection } from './collection.ts';
import { baseOf, type Connection, type Token } from './request.ts';
import type { AnySchema, CollectionOf, Facts, Slug } from './schema.ts';
import type { TokenSource } from './session/session.ts';

export { RowgateError, type Code } from './error.ts';

export type RowsOptions<S extends AnySchema> = {
  /** The address of the service, `https://api.example.com`, or that of its API where that is another than `/api` below it. */
  url: string;
  /** `schema` of the file that `rowgate types` writes. */
  schema: Facts;
  /** An access token, an API key or the service key; or a function that is asked for it before each request. */
  token?: string | (() => Token | Promise<Token>);
  /** In place of a token: who is signed in, by `createAuth`. */
  auth?: TokenSource;
  /** For every request; a request's own precede them. */
  headers?: Record<string, string>;
  /** Milliseconds that a call may take, with everything that is sent again. Unset: no bound but the signal's. */
  timeout?: number;
  /** How often a request is sent again after a lost connection: 3. */
  retries?: number;
  fetch?: typeof fetch;
} & (S['digits'] extends string ? {
  /** `number` rounds numbers that a double cannot hold in every digit, and takes `Schema<number>`. */
  numbers?: 'digits';
} : string extends S['digits'] ? { numbers?: 'digits' | 'number' } : { numbers: 'number' });

export interface RowsClient<S extends AnySchema> {
  /** For the functions of this package that take a client. */
  readonly connection: Connection<S>;
  /** The rows of a collection. */
  from<N extends Slug<S>>(collection: N): Collection<S, CollectionOf<S, N>>;
}

export function createClient<S extends AnySchema>(options: RowsOptions<S>): RowsClient<S> {
  const connection = connectionOf(options);
  return { connection, from: slug => createRows(connection, [slug], slug) as never };
}

export function connectionOf({ token, auth, ...options }: RowsOptions<AnySchema>): Connection<never> {
  return {
    ...options, base: baseOf(options.url), facts: options.schema, exact: options.numbers !== 'number',
    token: before => before ?? (typeof token === 'function' ? token() : token),
    ...auth && { token: auth.token, refused: auth.refused },
    // The browser's own is called as a function of its window.
    fetch: options.fetch ?? ((...request) => fetch(...request)),
  };
}
