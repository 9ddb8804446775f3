/** One request: its address, its answer, and whether it is sent again. */
import { refuse, RowgateError, type Code } from './error.ts';
import { readJson, writeJson, type Shape } from './json.ts';
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

export interface Connection extends Pick<Options, 'timeout' | 'retries' | 'headers'> {
  base: string;
  facts: Facts;
  token: () => Token | Promise<Token>;
  fetch: typeof fetch;
  /** Whether exact numbers are text. */
  exact: boolean;
}

export interface Request {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments of the path below /data. */
  path: readonly string[];
  query?: Record<string, string>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
  /** The shape of the answer: a row, or {data: rows}. */
  shape?: Shape;
}

/** The limit of the service for an address; an HTTP parser may answer a longer one before the service sees it. */
const LONGEST_URL = 32_768;
const LONGEST_WAIT = 30_000;

const tags = new WeakMap<object, string>();

/** The tag of a row as it was read. @throws RowgateError INVALID_INPUT for an object that no single read returned. */
export function tagOf(match: string | object | undefined): string {
  const tag = typeof match === 'object' ? tags.get(match) : match;
  return tag || refuse('ifMatch is neither an ETag nor a row that get() returned.');
}

export async function send<Answer>(connection: Connection, request: Request, options: WriteOptions = {}): Promise<Answer> {
  const { timeout = connection.timeout, retries = connection.retries ?? 3, signal } = options;
  const key = request.method === 'GET' ? undefined : options.idempotencyKey ?? randomKey();
  const body = request.body === undefined ? undefined : writeJson(request.body);
  const url = connection.base + addressOf(request);
  if (url.length > LONGEST_URL) refuse(`The query makes an address of ${url.length} characters.`, 'URI_TOO_LONG', 414);
  const limit = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  const ends = [signal, limit].filter(end => end !== undefined);
  const either = ends.length > 1 ? AbortSignal.any(ends) : ends[0];
  for (let attempt = 0; ; attempt++) {
    // Without a sign-in the service does not remember a write, and would do it a second time.
    let isSafe = key === undefined;
    try {
      const token = await connection.token();
      isSafe ||= typeof token === 'string';
      const headers = {
        accept: 'application/json', ...body !== undefined && { 'content-type': 'application/json' },
        ...token && { authorization: `Bearer ${token}` }, ...key !== undefined && { 'idempotency-key': key },
        ...connection.headers, ...defined(request.headers), ...options.headers,
      };
      const init = { method: request.method, headers, body, signal: either } as RequestInit;
      return await exchange<Answer>(connection, url, init, request.shape);
    } catch (error) {
      signal?.throwIfAborted();
      if (limit?.aborted) throw failed('timeout', `No answer within ${timeout} ms.`, 0, error);
      const wait = attempt < retries && isSafe && error instanceof RowgateError ? delayOf(error, attempt) : undefined;
      if (wait === undefined) throw error;
      await pause(wait, either).catch(() => undefined);
      signal?.throwIfAborted();
      if (limit?.aborted) throw error;
    }
  }
}

/** Milliseconds to wait before the request is sent again; undefined where it would be answered the same. */
function delayOf({ code, status, retryAfter, details }: RowgateError, attempt: number): number | undefined {
  const isLost = code === 'NETWORK' && (details.reason === 'connection' || status >= 502);
  const isBusy = status === 503 && retryAfter !== undefined;
  if (!isLost && !isBusy && code !== 'IDEMPOTENCY_KEY_IN_PROGRESS') return undefined;
  const wait = Math.max((retryAfter ?? 0) * 1000, 100 * 2 ** attempt * (1 + Math.random()));
  return wait > LONGEST_WAIT ? undefined : wait;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => { clearTimeout(timer); reject(new Error()); }, { once: true });
  });
}

type Refusal = { code: Code; message: string; details?: unknown; requestId?: string };

async function exchange<Answer>({ fetch, exact }: Connection, url: string, init: RequestInit, shape?: Shape): Promise<Answer> {
  const lost = (cause: unknown): never => { throw failed('connection', `No answer: ${reasonOf(cause)}`, 0, cause); };
  const response = await fetch(url, init).catch(lost);
  const text = await response.text().catch(lost);
  const { status, ok } = response;
  if (ok && text === '') return undefined as Answer;
  const contentType = response.headers.get('content-type') ?? '';
  const answer = parsed(text, ok && exact ? shape : undefined) as { error?: Refusal } | undefined;
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  const after = { retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined };
  if (ok && answer !== undefined) {
    const tag = response.headers.get('etag');
    if (tag !== null) tags.set(answer, tag);
    return answer as Answer;
  }
  if (typeof answer?.error?.code === 'string') throw new RowgateError({ status, ...answer.error, ...after });
  const isHalf = contentType.includes('json') && answer === undefined;
  const message = isHalf ? 'The answer ended early.' : `The answer (${status}) is not of the service.`;
  throw failed(isHalf ? 'connection' : 'not JSON', message, status, undefined, { contentType, text: text.slice(0, 500) });
}

function parsed(text: string, shape: Shape | undefined): unknown {
  try {
    return readJson(text, shape);
  } catch {
    return undefined;
  }
}

function failed(reason: string, message: string, status: number, cause?: unknown, more?: object): RowgateError {
  return new RowgateError({ status, code: 'NETWORK', message, details: { reason, ...more }, cause });
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('');
}

function defined(record: Record<string, string | undefined> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(record).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function addressOf({ path, query }: Request): string {
  const search = new URLSearchParams(query).toString();
  return `/data/${path.map(segment).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** A dot, or two, would be taken for a step of the path, in any spelling. */
function segment(text: string): string {
  if (text === '' || /^\.\.?$/.test(text)) refuse(`"${text}" cannot stand in an address.`);
  return encodeURIComponent(text);
}
