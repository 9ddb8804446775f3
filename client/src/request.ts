/** One request: its address, its answer, and whether it is sent again. */
import { refuse, RowgateError, type Code } from './error.ts';
import { readJson, writeJson, type Shape } from './json.ts';
import { addressable, mapped } from './parameters.ts';
import type { Facts } from './schema.ts';

export type Token = string | null | undefined;

export interface Options {
  signal?: AbortSignal;
  /** Milliseconds for the whole call, with everything that is sent again. */
  timeout?: number;
  /** How often it is sent again after a lost connection: 3. */
  retries?: number;
  headers?: Record<string, string>;
}
export interface WriteOptions extends Options {
  /** Makes the write safe to send again later, by a caller that keeps it. Without it each write has one of its own. */
  idempotencyKey?: string;
}

/** For the functions of this package that take a client. S: the types of the schema, which exist for the compiler alone. */
export interface Connection<S = unknown> extends Pick<Options, 'timeout' | 'retries' | 'headers'> {
  base: string;
  facts: Facts;
  /** `before`: that of the attempt before, which another person must not go on with. */
  token: (before?: Token) => Token | Promise<Token>;
  /** Whether a request that was refused with a token is sent again with another one. */
  refused?: ((token: string, error: unknown) => Promise<boolean>) | undefined;
  fetch: typeof fetch;
  /** Whether exact numbers are text. */
  exact: boolean;
  /** With realtime. */
  live?: LiveMethods;
  readonly types?: S;
}

/** The methods that rows have beside those of requests, for a path that leads to them. */
export type LiveMethods = (path: readonly string[], slug: string, pivots?: readonly string[]) => object;

/** A client, for functions that need none of its types. */
export type Connected = { readonly connection: Connection };

export interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The part of the API, `data`. */
  area?: 'functions' | 'storage' | 'auth';
  /** Segments of the path below it. */
  path: readonly string[];
  query?: Record<string, string>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  /** The shape of the answer: a row, or {data: rows}. */
  shape?: Shape | undefined;
}

const tags = new WeakMap<object, string>();

/** The tag of a row as it was read. @throws RowgateError INVALID_INPUT for an object that no single read returned. */
export function tagOf(match: string | object | undefined): string {
  const tag = typeof match === 'object' ? tags.get(match) : match;
  return tag || refuse('ifMatch is no ETag or row of get().');
}

/** The address of the API: `/api` below an address without a path. */
export function baseOf(url: string): string {
  return url.replace(/\/+$/, '').replace(/^\w+:\/\/[^/]+$/, '$&/api');
}

export async function send<Answer>(connection: Connection, request: Request, options: WriteOptions = {}): Promise<Answer> {
  const { timeout = connection.timeout, retries = connection.retries ?? 3, signal } = options;
  const { method, headers, shape } = request;
  // Other areas keep no keys of writes.
  const key = method === 'GET' || request.area ? undefined : options.idempotencyKey || randomKey();
  const body = request.body === undefined ? undefined : writeJson(request.body);
  const url = connection.base + addressOf(request);
  // The service's own limit: an HTTP parser may answer a longer address before the service sees it.
  const LONGEST_URL = 32_768;
  if (url.length > LONGEST_URL) refuse(`The address has ${url.length} characters.`, 'URI_TOO_LONG', 414);
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  const either = AbortSignal.any([signal, limit].filter(end => end) as AbortSignal[]);
  let isRefused = false;
  let token: Token;
  for (let attempt = 0; ; attempt++) {
    token = await orAborted(connection.token(token), either);
    const sent = mapped({
      'content-type': body && 'application/json', authorization: token && `Bearer ${token}`, 'idempotency-key': key,
      ...named(connection.headers), ...headers, ...named(options.headers),
    }, value => value);
    try {
      either.throwIfAborted(); // the token may be missing
      // No redirect is followed: it makes a write a read, and leaves the token behind.
      const init = { method, headers: sent, body, signal: either, redirect: 'manual' } as RequestInit;
      return await exchange<Answer>(connection, url, init, shape);
    } catch (error) {
      const isAnother = token && !isRefused && await orAborted(connection.refused?.(token, error), either);
      signal?.throwIfAborted();
      if (limit?.aborted) lost('timeout', `No answer within ${timeout} ms.`, 0, {}, error);
      if (isAnother) {
        isRefused = true;
        continue;
      }
      // Without a sign-in the service does not remember a write, and would do it a second time.
      const isSafe = !key || token;
      const wait = isSafe && attempt < retries && error instanceof RowgateError ? delayOf(error, attempt) : undefined;
      if (wait === undefined) throw error;
      await pause(wait, either);
    }
  }
}

/** Names of headers are one in every case. */
const named = (headers?: Record<string, string>): object => Object.fromEntries(new Headers(headers));

/** Milliseconds to wait before the request is sent again; undefined where it would be answered the same. */
function delayOf({ code, status, retryAfter, details }: RowgateError, attempt: number): number | undefined {
  const LONGEST = 30_000;
  const isLost = code === 'NETWORK' && (details.reason === 'connection' || status > 501);
  const isBusy = status === 503 && retryAfter !== undefined;
  if (!isLost && !isBusy && code !== 'IDEMPOTENCY_KEY_IN_PROGRESS') return undefined;
  const wait = Math.max((retryAfter ?? 0) * 1000, 100 * 2 ** attempt * (1 + Math.random()));
  return wait > LONGEST ? undefined : wait;
}

/** An abort ends the wait, with undefined. No listener stays, as a signal may live longer than many requests. */
export function orAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const end = (): void => { resolve(undefined); };
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    Promise.resolve(work).finally(() => { signal.removeEventListener('abort', end); }).then(resolve, reject);
  });
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  let timer;
  await orAborted(new Promise(resolve => { timer = setTimeout(resolve, milliseconds); }), signal);
  clearTimeout(timer);
}

type Refusal = { code: Code; message: string; details?: unknown; requestId?: string };

/** One request, sent once. @throws RowgateError */
export async function exchange<Answer>(
  { fetch, exact }: Pick<Connection, 'fetch' | 'exact'>, url: string, init: RequestInit, shape?: Shape,
): Promise<Answer> {
  // Platforms tell the reason in the cause of their error.
  const gone = (error: Error): never => lost('connection', `No answer: ${((error.cause ?? error) as Error).message}`, 0, {}, error);
  const response = await fetch(url, init).catch(gone);
  const text = await response.text().catch(gone);
  const { status, ok, headers } = response;
  if (status === 204) return undefined as Answer;
  const answer = parsed(text, ok && exact ? shape : undefined) as { error?: Refusal } | undefined;
  if (ok && answer) {
    const tag = headers.get('etag');
    if (tag) tags.set(answer, tag);
    return answer as Answer;
  }
  const after = Number(headers.get('retry-after') ?? NaN);
  const more = { status, retryAfter: after >= 0 ? after : undefined };
  if (answer?.error?.code) throw new RowgateError({ ...answer.error, ...more });
  const contentType = headers.get('content-type') ?? '';
  const isHalf = !answer && contentType.includes('json');
  return lost(isHalf ? 'connection' : 'not JSON', `The answer (${status}) is none of the service.`, status,
    { contentType, text: text.slice(0, 500) });
}

/** Every answer of the service is an object. */
function parsed(text: string, shape: Shape | undefined): unknown {
  try {
    return text[0] === '{' ? readJson(text, shape) : undefined;
  } catch {
    return undefined;
  }
}

/** Fails for want of an answer of the service. */
export function lost(reason: string, message: string, status: number, details: object, cause?: unknown): never {
  throw new RowgateError({ status, code: 'NETWORK', message, details: { reason, ...details }, cause });
}

function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

export function addressOf({ area, path, query }: Omit<Request, 'method'>): string {
  return `/${area ?? 'data'}/${path.map(segment).join('/')}?${String(new URLSearchParams(query))}`.replace(/\?$/, '');
}

/** A dot, or two, would be taken for a step of the path, in any spelling. */
export function segment(text: string): string {
  return encodeURIComponent(addressable(text, /^\.{0,2}$|\p{Cs}/u));
}
