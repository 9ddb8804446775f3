/** Holds a session: tells who is signed in, and has a token that is good for the next request. */
import { run } from '../callback.ts';
import { refuse, type RowgateError, type Code } from '../error.ts';
import { baseOf, lost, orAborted, send, type Connection, type Options, type Request, type Token } from '../request.ts';
import { claimsOf, lasts, readState, stateOf, type Granted, type Session, type State } from './state.ts';
import { local, type SessionStorage } from './storage.ts';

export interface SessionOptions {
  /** As that of the client. */
  url: string;
  /** Where the session is kept: `local()`, the browser's localStorage; `memory()`; `cookie()`, for a service with AUTH_COOKIE. */
  storage?: SessionStorage;
  headers?: Record<string, string>;
  fetch?: typeof fetch;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** The part of a session that a client asks for. */
export interface TokenSource {
  /**
   * The access token for a request, refreshed before its end; undefined without a session.
   * @param before that of an attempt before
   * @throws RowgateError the refusal of the service where the session turns out to be over, NETWORK where it cannot be asked, SESSION_ENDED
   * where another person, or none, is signed in now: a request goes on as the same one or not at all.
   */
  token: (before?: Token) => Promise<string | undefined>;
  /**
   * Reports the refusal of a request that was sent with a token. Resolves with whether it is to be sent again, with another token of the
   * same person.
   */
  refused: (token: string, error: unknown) => Promise<boolean>;
  /** Calls back when the token may be another one. */
  onChange?: (callback: () => void) => () => void;
}

/** A request of an account route: `path` is the part below `/auth`. */
export type AccountRequest = Pick<Request, 'method' | 'path' | 'query' | 'body'>;
/** With a token that is sent in place of that of the session. */
type Sending = Options & { bearer?: string | undefined };

export interface SessionHolder extends TokenSource {
  /** The address of the service's API. */
  readonly base: string;
  /** The session as it is kept, without a request; in cookie mode the first call asks the service. */
  session: () => Promise<Session | undefined>;
  /** Calls back after each sign-in, refresh and sign-out, of other tabs too. Returns the function that ends it. */
  onChange: (callback: (session: Session | undefined) => unknown) => () => void;
  /** POST /auth/refresh, whether the token is near its end or not: for roles, claims and names that have changed. */
  refresh: () => Promise<Session | undefined>;
  /** POST /auth/logout. The session is forgotten at once, also where the service does not answer; that is thrown. */
  signOut: (options?: Options) => Promise<void>;
  /** Forgets a session that the service has ended. */
  forget: () => void;
  /** A request of an account route, as the person who is signed in. A GET is sent again after a lost connection, others are sent once. */
  call: <Answer>(request: AccountRequest, options?: Sending) => Promise<Answer>;
  /** A request whose answer is a session, which takes the place of the one there is. Undefined where the answer has none. */
  enter: (request: Pick<Request, 'path' | 'body'>, options?: Sending) => Promise<Session | undefined>;
}

/** Refusals of a refresh token. Everything else says nothing about the session. */
const OVER = new Set<Code>(['NO_SESSION', 'INVALID_TOKEN', 'TOKEN_EXPIRED', 'TOKEN_ALREADY_USED', 'SESSION_REVOKED']);
/** Refusals of an access token that a refresh may mend. */
const STALE = new Set<Code>(['UNAUTHORIZED', 'TOKEN_EXPIRED', 'SESSION_REVOKED']);

export function createSession(options: SessionOptions): SessionHolder {
  // Inside, as in json.ts: a bundler then puts numbers in the place of these names.
  /** Milliseconds before its end from which a token is refreshed beside the requests, and from which they wait for it. */
  const EARLY = 60_000;
  const LATE = 10_000;
  /**
   * Milliseconds that one try may take, and after which no other begins. An answer that was lost has replaced the refresh token, and the
   * service takes the old one again for 10 seconds.
   */
  const LONGEST_TRY = 5_000;
  const LAST_TRY = 4_500;

  const { url, storage = local(), headers = {}, now = Date.now } = options;
  const ownFetch: typeof fetch = options.fetch ?? ((...request) => fetch(...request));
  const connection: Omit<Connection, 'token'> = {
    base: baseOf(url), facts: { version: '', collections: {} }, exact: false, headers,
    fetch: (address, init) => ownFetch(address, { ...init, credentials: storage.credentials } as RequestInit),
  };
  const hasCookie = storage.credentials !== undefined;
  const callbacks = new Set<(session: Session | undefined) => unknown>();
  storage.open?.(connection.base);
  let seen = storage.get();
  let state = readState(seen);
  let renewing: Promise<void> | undefined;
  /** A sign-in by cookies that is under way, and a sign-out: the answer that comes last leaves its cookie, so the next request waits. */
  let entering: Promise<unknown> | undefined;
  let leaving: Promise<unknown> | undefined;
  storage.listen?.(read);

  /** The storage may have changed by another tab. */
  function read(): State | undefined {
    const text = storage.get();
    if (text !== seen) {
      const before = state;
      seen = text;
      // Another person's refresh is not shared. By cookies its answer comes all the same, and is waited for.
      if (!hasCookie) renewing = undefined;
      state = readState(text);
      const session = shown(state);
      if (state === undefined && before === undefined) return undefined;
      // After everything that runs now: a callback may send requests, and wait for them.
      for (const callback of callbacks) queueMicrotask(() => { if (callbacks.has(callback)) void run(callback, session); });
    }
    return state;
  }

  function write(next: State | undefined): void {
    storage.set(next === undefined ? null : JSON.stringify(next));
    read();
  }

  /** Waits for another request's cookie, and not for ever. */
  const turn = (work: Promise<unknown>): Promise<unknown> => orAborted(work, AbortSignal.timeout(LAST_TRY));

  /** Without a source of tokens it has none, or the one that stands in the options. */
  function ask<Answer>(
    request: AccountRequest, { bearer, ...given }: Sending = {}, source: Pick<Connection, 'token' | 'refused'> = { token: () => bearer },
  ): Promise<Answer> {
    return send<Answer>({ ...connection, ...source }, { ...request, area: 'auth' },
      { ...request.method !== 'GET' && { retries: 0 }, ...given });
  }

  /** Calls that need a refresh at once share one. */
  function renew(): Promise<void> {
    const own: Promise<void> = renewing ??= refresh().finally(() => { if (renewing === own) renewing = undefined; });
    return own;
  }

  /** Other tabs refresh too: where the storage has another session afterwards, that one holds. */
  async function refresh(): Promise<void> {
    const end = now() + LAST_TRY;
    let pause = 100;
    if (entering) await turn(entering);
    const old = read();
    const text = seen;
    const isStill = () => { read(); return seen === text; };
    while (isStill()) {
      const askedAt = now();
      let failure: RowgateError | undefined;
      const body = old?.refreshToken ? { refreshToken: old.refreshToken } : {};
      const granted = await ask<Granted>({ method: 'POST', path: ['refresh'], body }, { timeout: LONGEST_TRY })
        .catch((error: unknown) => { failure = error as RowgateError; return undefined; });
      if (!isStill()) return;
      // With the cookie of another tab's sign-in it is that person's, as all tabs are; what was begun before is refused.
      if (!failure) return write(stateOf(granted, askedAt, old) ?? noSession());
      const { status, code } = failure;
      if (status === 401 && OVER.has(code)) write(undefined);
      pause *= 2;
      if ((status >= 400 && status < 500) || now() + pause > end) throw failure;
      await new Promise(resolve => setTimeout(resolve, pause));
    }
  }

  async function token(before: Token = read()?.accessToken): Promise<string | undefined> {
    const held = read();
    if (held === undefined) {
      if (seen === undefined) await renew().catch(unlessOver); // a visitor goes on as one
    } else if (!lasts(held, now(), LATE)) await renew();
    else if (!lasts(held, now(), EARLY)) renew().catch(() => undefined);
    const accessToken = read()?.accessToken;
    if (before && !isSame(before, accessToken)) refuse('The sign-in is another one now.', 'SESSION_ENDED', 401);
    return accessToken;
  }

  async function refused(refusedToken: string, error: unknown): Promise<boolean> {
    const { status, code } = error as RowgateError;
    if (status !== 401 || !STALE.has(code)) return false;
    if (read()?.accessToken === refusedToken) await renew();
    return isSame(refusedToken, state?.accessToken);
  }

  async function entered(request: Pick<Request, 'path' | 'body'>, sending?: Sending): Promise<Session | undefined> {
    if (hasCookie) await turn(Promise.allSettled([renewing, leaving]));
    const askedAt = now();
    const next = stateOf(await ask<Granted>({ ...request, method: 'POST' }, sending), askedAt);
    if (next !== undefined) write(next);
    return shown(next);
  }

  function enter(...request: Parameters<typeof entered>): Promise<Session | undefined> {
    const answer = entered(...request);
    if (hasCookie) entering = answer.catch(() => undefined);
    return answer;
  }

  return {
    base: connection.base, token, refused, enter,
    call: (request, sending) => ask(request, sending, sending?.bearer === undefined ? { token, refused } : undefined),
    async session() {
      if (read() === undefined && seen === undefined) await renew().catch(unlessOver);
      return shown(read());
    },
    onChange(callback) {
      const own: typeof callback = session => callback(session);
      callbacks.add(own);
      return () => { callbacks.delete(own); };
    },
    async refresh() {
      await renew();
      return shown(read());
    },
    async signOut(sending) {
      const held = read();
      write(undefined);
      const body = held?.refreshToken ? { refreshToken: held.refreshToken } : {};
      if (held || hasCookie) {
        leaving = ask({ method: 'POST', path: ['logout'], body }, sending);
        await leaving;
      }
    },
    forget: () => { write(undefined); },
  };
}

/** Whether two tokens are of one person. */
function isSame(token: string, other = ''): boolean {
  const { uid } = claimsOf(token);
  return uid !== undefined && uid === claimsOf(other).uid;
}

export function noSession(): never {
  return lost('not JSON', 'The answer has no session.', 0, {});
}

function shown(state: State | undefined): Session | undefined {
  return state && { user: state.user, accessToken: state.accessToken, expiresAt: state.expiresAt };
}

/** A refusal is the answer that there is no session. */
function unlessOver(error: unknown): void {
  const { status, code } = error as RowgateError;
  if (status !== 401 || !OVER.has(code)) throw error;
}
