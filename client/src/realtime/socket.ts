/** The one socket of a client: open while something needs it, signed in, watched, and opened again when it is lost. */
import { RowgateError } from '../error.ts';
import { writeJson } from '../json.ts';
import type { Token } from '../request.ts';

/** What a WebSocket of any platform has. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'addEventListener'>;
export type SocketConstructor = new (url: string) => Socket;

export interface SocketOptions {
  /** The address of the service, `https://api.example.com`. */
  url: string;
  /** Is asked before each sign-in and each heartbeat. */
  token: () => Token | Promise<Token>;
  /** Is told of a token that the service has refused, as of a request with status 401, before `token` is asked again. */
  refused?: (token: string, error: RowgateError) => unknown;
  /** In place of the platform's own. */
  WebSocket?: SocketConstructor;
  /** Milliseconds between two heartbeats: 25,000. A socket without an answer for 10,000 more is given up. */
  heartbeat?: number;
}

export type Frame = { type: string; requestId?: string; payload?: { error?: Refusal } } & Record<string, unknown>;
type Refusal = { code: RowgateError['code']; message: string; details?: unknown };

/** What uses the socket: subscriptions, channels. */
export interface Part {
  isNeeded: () => boolean;
  /** The socket is signed in, and knows nothing of this client yet. */
  opened: () => void;
  lost: () => void;
  /** A frame that is not of the socket itself. */
  heard: (frame: Frame) => void;
  /** Of the socket: the service refuses it, or its sign-in. */
  failed: (error: RowgateError) => void;
  /** The value of a frame. */
  parse?: (text: string) => unknown;
}

export interface Link {
  /** Says something, where the socket is signed in; whatever else it is told when it opens. */
  say: (type: string, payload: object) => void;
  /** @throws RowgateError NOT_SUPPORTED in a runtime without WebSocket */
  check: () => void;
  /** Something is needed now, or is no longer. */
  look: () => void;
  /** The token may be another one: signs in with it. */
  renew: () => void;
  readonly isOpen: boolean;
}

const HEARTBEAT = 25_000;
const PATIENCE = 10_000;
/** How long a socket that nothing needs stays: a page that shows another list needs it again at once. */
const LINGER = 1_000;
/** A socket that lived for so long was a good one. */
const STEADY = 2_000;
const LONGEST_WAIT = 30_000;
/** Attempts in vain after which it is asked whether the service is there at all. */
const SUSPICIOUS = 3;

/** Milliseconds before another attempt, the first of which is 0. With jitter: all clients of a service lose it at the same moment. */
export function backoff(attempt: number): number {
  return Math.min(LONGEST_WAIT, 1_000 * 2 ** attempt) * (0.1 + 0.9 * Math.random());
}

/** Frames have no status. */
export function errorOf({ payload }: Frame): RowgateError {
  return new RowgateError({ status: 0, ...payload?.error ?? { code: 'NETWORK', message: 'The service refused without a reason.' } });
}

/** Runs a function of the application. Its failure is its own: it is written to the console. */
export async function run<T>(callback: ((value: T) => unknown) | undefined, value: T): Promise<void> {
  try {
    await callback?.(value);
  } catch (error) {
    console.error(error);
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined;
/** What a page has and a server has not. */
interface Platform {
  WebSocket?: SocketConstructor;
  addEventListener?: EventTarget['addEventListener'];
  removeEventListener?: EventTarget['addEventListener'];
  document?: Platform;
}
/** Refusals that another token may mend. */
const STALE: RowgateError['code'][] = ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'SESSION_ENDED'];

export function createLink(options: SocketOptions, parts: readonly Part[]): Link {
  const { url, token: ask, WebSocket, heartbeat = HEARTBEAT } = options;
  const platform = globalThis as unknown as Platform;
  const address = url.replace(/\/+$/, '');
  let socket: Socket | undefined;
  let isOpen = false;
  let isWatching = false;
  /** Grows with every socket; events of an earlier one mean nothing. */
  let turn = 0;
  let token: Token;
  let refused: { token: string; error: RowgateError } | undefined;
  /** The last failure: the same one is not told twice. */
  let failure: string | undefined;
  let openedAt = 0;
  let attempt = 0;
  let unopened = 0;
  let requests = 0;
  /** The next attempt, or the next heartbeat. */
  let next: Timer;
  /** When the socket is given up, because it does not answer. */
  let deadline: Timer;
  let closing: Timer;

  return { say, check: constructorOf, look, renew: () => { if (isOpen) void beat(); }, get isOpen() { return isOpen; } };

  function isNeeded(): boolean {
    return parts.some(part => part.isNeeded());
  }

  function say(type: string, payload: object, requestId?: string): void {
    if (isOpen || requestId !== undefined) socket?.send(writeJson({ type, requestId, payload }));
  }

  function look(): void {
    clearTimeout(closing);
    if (!isNeeded()) {
      closing = setTimeout(() => { if (!isNeeded()) end(); }, LINGER);
    } else if (!isWatching) {
      watch(true);
      void open();
    }
  }

  function watch(on: boolean): void {
    isWatching = on;
    const how = on ? 'addEventListener' : 'removeEventListener';
    platform[how]?.('online', wake);
    platform.document?.[how]?.('visibilitychange', wake);
  }

  /** The network may be another one, or the computer has slept. */
  function wake(): void {
    if (isOpen) void beat();
    else if (deadline === undefined) void open();
  }

  /** Closes the socket, and forgets it even where it cannot be closed. */
  function drop(): void {
    turn++;
    clearTimeout(next);
    expect(false);
    const old = socket;
    socket = undefined;
    isOpen = false;
    try {
      old?.close();
    } catch {
      // It never opened.
    }
  }

  function end(): void {
    drop();
    watch(false);
    attempt = unopened = 0;
    for (const part of parts) part.lost();
  }

  function expect(isExpected: boolean): void {
    if (isExpected) {
      // A later question does not put off the answer to an earlier one.
      deadline ??= setTimeout(() => { lost(); }, PATIENCE);
      return;
    }
    clearTimeout(deadline);
    deadline = undefined;
  }

  async function open(): Promise<void> {
    drop();
    const own = turn;
    const isOwn = () => own === turn;
    expect(true);
    try {
      if (refused !== undefined) await options.refused?.(refused.token, refused.error);
      refused = undefined;
      const given = await ask();
      if (!isOwn()) return;
      token = given;
      const made = socket = new (constructorOf())(address.replace(/^http/, 'ws'));
      made.addEventListener('open', () => { if (isOwn()) connected(); });
      made.addEventListener('message', ({ data }: { data: unknown }) => { if (isOwn()) hear(String(data)); });
      for (const type of ['close', 'error']) made.addEventListener(type, () => { if (isOwn()) lost(); });
    } catch (error) {
      if (!isOwn()) return;
      fail(error instanceof RowgateError ? error : networkError(`The socket cannot be opened: ${(error as Error).message}`, error));
      lost();
    }
  }

  function constructorOf(): SocketConstructor {
    const Constructor = WebSocket ?? platform.WebSocket;
    if (Constructor !== undefined) return Constructor;
    const message = 'This runtime has no WebSocket: give createClient one as WebSocket, of the package "ws" for example.';
    throw new RowgateError({ status: 0, code: 'NOT_SUPPORTED', message });
  }

  function connected(): void {
    unopened = -1;
    if (token) signIn();
    else begin();
  }

  /** It is answered in any case, so that it is the heartbeat too: pages cannot ping. */
  function signIn(): void {
    expect(true);
    say('AUTHENTICATE', token ? { token } : {}, `auth_${++requests}`);
  }

  function begin(): void {
    isOpen = true;
    failure = undefined;
    openedAt = Date.now();
    expect(false);
    next = setTimeout(() => { void beat(); }, heartbeat);
    for (const part of parts) part.opened();
  }

  async function beat(): Promise<void> {
    clearTimeout(next);
    const own = turn;
    // A session that cannot be asked now still has its last token.
    const fresh = await (async () => ask())().catch(() => token);
    if (own !== turn) return;
    if (!fresh !== !token) return lost(0); // no frame signs out
    token = fresh;
    signIn();
    clearTimeout(next);
    next = setTimeout(() => { void beat(); }, heartbeat);
  }

  function hear(text: string): void {
    let frame: Frame;
    try {
      frame = parts.map(part => part.parse?.(text)).find(value => value !== undefined) as Frame | undefined ?? JSON.parse(text) as Frame;
    } catch {
      return lost();
    }
    const { type, requestId } = frame;
    if (isOpen) expect(false);
    if (type === 'AUTH_SUCCESS' && !isOpen) return begin();
    // Without a token the heartbeat is refused, which is an answer.
    if (type === 'AUTH_ERROR' && token) return rejected(token, errorOf(frame), requestId !== undefined);
    for (const part of parts) part.heard(frame);
  }

  /** At the end of a token, the next one is used at once. A refusal of one that was just sent is told. */
  function rejected(rejectedToken: string, error: RowgateError, wasSent: boolean): void {
    const { code, message } = error;
    if (STALE.includes(code)) refused = { token: rejectedToken, error: new RowgateError({ status: 401, code: 'UNAUTHORIZED', message }) };
    if (wasSent) fail(error);
    lost(wasSent ? undefined : 0);
  }

  function lost(wait?: number): void {
    if (!isNeeded()) return end();
    attempt = isOpen && Date.now() - openedAt >= STEADY ? 0 : attempt + 1;
    drop();
    for (const part of parts) part.lost();
    if (++unopened === SUSPICIOUS) void explain();
    next = setTimeout(() => { void open(); }, wait ?? backoff(attempt));
  }

  /** Platforms do not say why a socket did not open. The service that answers other requests has refused it. */
  async function explain(): Promise<void> {
    const answer = await fetch(address, { mode: 'no-cors' } as RequestInit).catch(() => undefined);
    if (answer === undefined || answer.status >= 502) return;
    fail(networkError('The service answers, but refuses the WebSocket: is the origin of this page one of CORS_ORIGINS, '
      + 'is REALTIME_CDC on, and does each proxy pass upgrades on?'));
  }

  function fail(error: RowgateError): void {
    const text = `${error.code} ${error.message}`;
    if (text === failure) return;
    failure = text;
    for (const part of parts) part.failed(error);
  }
}

function networkError(message: string, cause?: unknown): RowgateError {
  return new RowgateError({ status: 0, code: 'NETWORK', message, details: { reason: 'connection' }, cause });
}
