/** Functions of the project: SQL functions by their names and types, files of functions by their paths. */
import { answerOf, type Counting, type Listed, type MetaOf } from './collection.ts';
import { own, shapeOf, type Shape } from './json.ts';
import { addressable, mapped, parametersOf } from './parameters.ts';
import type { GetQuery, Include, ListQuery } from './query.ts';
import { send, type Connected, type Connection, type Options } from './request.ts';
import { fetchAnswer, type ResponseInit } from './response.ts';
import type { Page, Result } from './result.ts';
import type { AnySchema, At, CollectionFacts, FieldName } from './schema.ts';
import type { RowsClient } from './rows.ts';

type Functions<S extends AnySchema> = S['functions'];
type Name<S extends AnySchema> = keyof Functions<S> & string;
type Part<S extends AnySchema, N, K> = At<At<Functions<S>, N>, K>;
/** The columns of the row, or of the rows, that a function returns. */
type Returned<S extends AnySchema, N> = Part<S, N, 'set' | 'row'>;
/** A function that returns a set takes the query of a list, one that returns a row that of a `get`, and one that returns a value none. */
type QueryOf<S extends AnySchema, N, F, I, D, C> = 'set' extends keyof At<Functions<S>, N>
  ? ListQuery<S, Part<S, N, 'set'>, F, I> & { distinct?: D; count?: C }
  : 'row' extends keyof At<Functions<S>, N> ? GetQuery<S, Part<S, N, 'row'>, F, I> : undefined;
type ResultOf<S extends AnySchema, N, F, I, D, C> = 'set' extends keyof At<Functions<S>, N>
  ? Page<Listed<S, Part<S, N, 'set'>, {}, F, I, D, never, never>, MetaOf<C>>
  : 'row' extends keyof At<Functions<S>, N> ? Result<S, Part<S, N, 'row'>, F, I> | null : Part<S, N, 'value'>;

type Query = Record<string, unknown> & { include?: never; count?: string };

/**
 * `POST /functions/affordable`: calls an SQL function with its arguments. A function that returns a set takes the query of a list, one that
 * returns a row that of a `get`. A call is sent again after a lost connection where the function only reads.
 */
export function callFunction<S extends AnySchema, const N extends Name<S>, const F extends FieldName<Returned<S, N>> =
  FieldName<Returned<S, N>>, const I extends Include<S, Returned<S, N>> = {}, D extends boolean = false, C extends Counting = 'exact'>(
  db: RowsClient<S>, name: N, args: Part<S, N, 'args'>, query?: QueryOf<S, N, F, I, D, C>, options?: Options,
): Promise<ResultOf<S, N, F, I, D, C>>;
export async function callFunction(
  { connection }: RowsClient<AnySchema>, name: string, args: unknown, given: object = {}, options: Options = {},
): Promise<unknown> {
  const query = given as Query;
  const { reads, value, row, set } = own(connection.facts.functions, name) ?? {};
  const shape = (of: string | CollectionFacts = {}): Shape =>
    typeof of === 'string' ? shapeOf(connection.facts, of, query.include) : { digits: of.digits };
  const answer = await send<{ value: unknown } | undefined>(wrapping(connection), {
    method: 'POST', area: 'functions', path: [name], query: parametersOf(query), body: args,
    headers: { prefer: query.count && `count=${query.count}` },
    shape: row ?? set ? { relations: { value: set === undefined ? shape(row) : answerOf(shape(set)) } } : shape(value),
  }, { ...!reads && { retries: 0 }, ...options });
  return answer?.value;
}

/** The body may be any JSON, a number or null too: it becomes the member of an object. */
function wrapping(connection: Connection): Connection {
  return {
    ...connection,
    async fetch(...request) {
      const response = await connection.fetch(...request);
      return !response.ok || response.status === 204 ? response : new Response(`{"value":${await response.text()}}`, response);
    },
  };
}

export type FunctionInit = ResponseInit & { query?: Record<string, string> };

/**
 * `/functions/stock/low`: a route of a file of functions, with the token of the client. Returns the answer, whose body is not read yet: it
 * may be a stream. Only a GET is sent again after a lost connection.
 * @throws RowgateError for an answer that is an error of the service, or that says no more than its status.
 */
export async function fetchFunction(
  { connection }: Connected, path: string, { query = {}, ...init }: FunctionInit = {},
): Promise<Response> {
  const parameters = mapped(query, text => addressable(text)) as typeof query;
  return fetchAnswer(connection, { area: 'functions', path: path.replace(/^\//, '').split('/'), query: parameters }, init);
}
