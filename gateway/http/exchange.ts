import { setImmediate } from 'node:timers/promises';
import { addressText, clientAddress } from './client-address.ts';
import { ClientLeft } from './client-left.ts';
import { headerBlock } from './header-block.ts';
import { NOTHING, type Incoming } from './incoming.ts';
import { jsonBytes, jsonObject } from './json-body.ts';
import type { Call, Method, Route } from './route.ts';
import type { HttpRequest, HttpResponse } from './uws.ts';
import type { Work } from './work.ts';
import { randomUUID } from 'node:crypto';

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** The caller's own id when it is a UUID v4, else a fresh one: what is echoed and logged can be nothing but a UUID. */
function requestIdFrom(given: string): string {
  return uuidV4.test(given) ? given : randomUUID();
}

const noBody = Buffer.alloc(0);
const noParams = { __proto__: null } as unknown as Record<string, string>;

/**
 * One request and its way back. uWebSockets.js lends `request` for the length of one callback only: what outlives that
 * calls `detach` first. Whatever costs and is rarely asked for (address, signal, headers) is made when asked for.
 */
export class Exchange implements Call {
  readonly response: HttpResponse;
  readonly method: Method;
  readonly url: string;
  readonly query: string;
  readonly requestId: string;
  readonly startedAt: number;
  path: string;
  params: Record<string, string> = noParams;
  body: Buffer = noBody;
  incoming: Incoming = NOTHING;
  /** The client left: the response must not be touched any more. */
  gone = false;
  detached = false;
  /** The connection ends with the answer. */
  closes = false;
  /** Nothing more of the connection is read before the answer. */
  held = false;
  /** Called when the client leaves, before any other callback. */
  whenGone: (() => void) | undefined;
  /** The failure, for the log. */
  failure: unknown;
  /** The one that answers. */
  route: Route | undefined;
  /** Pages of every origin may read the answer. */
  isOpen = false;
  work: Work | undefined;
  noted: Call['noted'];
  /** When the answer began, of one whose length and pace are another's. */
  streamedAt: number | undefined;

  #answerHeaders: Record<string, string> | undefined;
  #request: HttpRequest | undefined;
  #headers: Map<string, string> | undefined;
  /** Header lines whose name came before. */
  readonly #repeated: [string, string][] = [];
  #framedTwice = false;
  #abort: AbortController | undefined;
  readonly #proxyHops: number;
  readonly #abandoned: (exchange: Exchange) => void;

  /** `abandoned` runs when the client leaves before the whole answer is handed over. */
  constructor(response: HttpResponse, request: HttpRequest, proxyHops: number, abandoned: (exchange: Exchange) => void) {
    this.response = response;
    this.#request = request;
    this.#proxyHops = proxyHops;
    this.#abandoned = abandoned;
    this.method = request.getCaseSensitiveMethod() as Method;
    this.url = request.getUrl();
    // Undefined without a `?`, against its declaration.
    this.query = request.getQuery() || '';
    this.path = this.url;
    this.requestId = requestIdFrom(request.getHeader('x-request-id'));
    this.startedAt = performance.now();
  }

  header(name: string): string {
    return this.#headers?.get(name) ?? this.#request?.getHeader(name) ?? '';
  }

  allHeaders(): [string, string][] {
    const others = this.#repeated.filter(([name]) => name !== 'x-forwarded-for');
    return [...this.#copiedHeaders(), ...others];
  }

  /** Made when one is added: most answers have none of their own. */
  get answerHeaders(): Record<string, string> {
    return this.#answerHeaders ??= {};
  }

  /** Those as lines. @throws Error when one would break the message. */
  get answerHead(): string {
    return this.#answerHeaders === undefined ? '' : headerBlock(this.#answerHeaders);
  }

  jsonBytes(): Buffer {
    return jsonBytes(this.body, this.header('content-type'));
  }

  json(): Record<string, unknown> {
    return jsonObject(this.body, this.header('content-type'));
  }

  get ip(): string {
    if (this.gone) return '';
    const socketAddress = addressText(new Uint8Array(this.response.getRemoteAddress()));
    if (this.#proxyHops === 0) return socketAddress;
    return clientAddress(socketAddress, this.#copiedHeaders().get('x-forwarded-for') ?? '', this.#proxyHops);
  }

  /** Most handlers never look, and an AbortController costs more than the rest of a small request. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.gone) this.#abort.abort();
    return this.#abort.signal;
  }

  /** Keeps what outlives the callback, and hears of the client leaving. */
  detach(): void {
    if (this.detached) return;
    this.detached = true;
    this.#copiedHeaders();
    this.#request = undefined;
    this.response.onAborted(() => {
      this.gone = true;
      this.whenGone?.();
      this.#abort?.abort();
      this.#abandoned(this);
    });
  }

  /**
   * Keeps further requests of the connection waiting: while an answer is due, uWebSockets.js closes a connection that brings one. A request
   * in the same packet does so before the next turn of the loop.
   * @throws ClientLeft when the client is gone, so that nothing runs without an answer.
   */
  async hold(): Promise<void> {
    if (this.held) return;
    if (!this.gone) this.response.pause();
    this.held = true;
    await setImmediate();
    if (this.gone) throw new ClientLeft();
  }

  watch(left: () => void): void {
    if (this.gone) return left();
    this.whenGone = left;
    if (!this.held) return;
    this.held = false;
    this.response.resume();
  }

  /** Whether a header that says where the body ends came more than once. */
  isFramedTwice(): boolean {
    this.#copiedHeaders();
    return this.#framedTwice;
  }

  #copiedHeaders(): Map<string, string> {
    if (this.#headers !== undefined) return this.#headers;
    const headers = new Map<string, string>();
    this.#request?.forEach((name, value) => this.#addHeader(headers, name, value));
    return this.#headers = headers;
  }

  /** The first of several values counts, as before the copy; but proxies append addresses in header lines of their own too. */
  #addHeader(headers: Map<string, string>, name: string, value: string): void {
    const earlier = headers.get(name);
    if (earlier === undefined) return void headers.set(name, value);
    this.#repeated.push([name, value]);
    if (name === 'x-forwarded-for') headers.set(name, `${earlier},${value}`);
    else if (name === 'content-length' || name === 'transfer-encoding') this.#framedTwice = true;
  }
}
