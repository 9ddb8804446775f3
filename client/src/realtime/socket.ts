/** The one socket of a client: open while something needs it, signed in, watched, and opened again when it is lost. */
import { refuse, RowgateError } from '../error.ts';
import { readJson, writeJson } from '../json.ts';
import type { Connection, Token } from '../request.ts';
import { claimsOf } from '../session/state.ts';
import { backoff, channelKey, createMembers, errorOf, type Frame, type Member, type State, type Timer } from './members.ts';

/** The type of a method, whose parameters are compared in both directions: the events of "ws" have types of their own. */
type Handler<Event> = { handle(event: Event): unknown }['handle'] | null;
/** The part of a WebSocket that is needed. */
interface Socket {
  onopen: Handler<unknown>;
  onmessage: Handler<{ data: unknown }>;
  onclose: Handler<unknown>;
  onerror: Handler<unknown>;
  send(text: string): void;
  close(): void;
}

export interface SocketOptions {
  /** In place of the platform's own: Node 20 has none. */
  WebSocket?: new (url: string) => Socket;
  /** Milliseconds between two heartbeats: 25,000. A socket without an answer for 10,000 more is given up; what is asked
   * for on it, and not answered within a heartbeat and some seconds, is asked for again. */
  heartbeat?: number;
}

export interface Link {
  /** @throws RowgateError NOT_SUPPORTED in a runtime without WebSocket */
  add: (name: string, member: Member) => void;
  /** Also forgets that it is to be asked for again. */
  remove: (name: string, member: Member, type: string, payload: object) => void;
  /** Says something, where the socket is signed in; whatever else it is told when it opens. */
  say: (type: string, payload: object) => void;
  change: (member: Member, state: State) => void;
  /** Asks for a member again where it is not live after a heartbeat and some seconds. */
  expectAnswer: (member: Member) => void;
  /** A refusal may be one for the time being, or until roles or policies are others: asks again, ever less often. */
  refused: (member: Member, error: RowgateError) => void;
  /** Tells of the failure that holds: to one that comes later. */
  late: (member: Member, failed: Member['failed']) => void;
  /** The token may be another one, that of the session where it is known; the network too, or the computer has slept. */
  renew: (session?: { accessToken?: string }) => void;
}

/** The members of a page that other runtimes may lack. */
interface Platform extends Pick<SocketOptions, 'WebSocket'> {
  addEventListener?: (event: string, listener: () => void) => void;
  removeEventListener?: Platform['addEventListener'];
  document?: Platform;
  hidden?: boolean;
}

/** The person of a token; the token itself where it names none. */
function callerOf(token: Token): Token {
  const { uid, sub = token } = claimsOf(token ?? '');
  return uid ?? sub;
}

export function createLink(connection: Connection, { WebSocket, heartbeat = 25_000 }: SocketOptions): Link {
  // Inside, as in json.ts: a bundler then puts numbers in the place of these names.
  const PATIENCE = 10_000;
  /** How long a socket that nothing needs stays: a page that shows another list needs it again at once. */
  const LINGER = 1_000;
  /** A socket that lived for so long was a good one. */
  const STEADY = 2_000;
  /** Attempts in vain of which the last is the service's refusal, where it answered another request before. */
  const SUSPICIOUS = 3;

  const group = createMembers(() => isOpen, heartbeat);
  const { members, each, change, enter, failAll, forget, answered } = group;
  const platform = globalThis as unknown as Platform;
  let socket: Socket | undefined;
  let isOpen = false;
  let isWatching = false;
  /** Grows with every socket; events of an earlier one mean nothing. */
  let turn = 0;
  let token: Token;
  /** Whether it is known who the caller is: what was said before is of the first one. */
  let isKnown = false;
  /** The refusal of the token that was sent last. */
  let stale: RowgateError | undefined;
  let openedAt = 0;
  let attempt = 0;
  let isThere = false;
  /** The next attempt, or the next heartbeat. */
  let next: Timer;
  /** When the socket is given up, because it does not answer. */
  let deadline: Timer;
  let closing: Timer;

  return { ...group, add, remove, say, renew };

  function add(name: string, member: Member): void {
    constructorOf();
    clearTimeout(closing);
    members.set(name, member);
    if (isOpen) enter(member);
    else if (!isWatching) {
      watch(true);
      void open();
    }
  }

  function remove(name: string, member: Member, type: string, payload: object): void {
    clearTimeout(member.retry);
    members.delete(name);
    say(type, payload);
    if (members.size === 0) closing = setTimeout(end, LINGER);
  }

  /** The sign-in alone has an id, and goes before everything else. */
  function say(type: string, payload: object, requestId?: string): void {
    if (isOpen || requestId) socket?.send(writeJson({ type, requestId, payload }));
  }

  function watch(on: boolean): void {
    isWatching = on;
    const how = on ? 'addEventListener' : 'removeEventListener';
    // Without a network the socket looks open: it is asked then too, and given up where it does not answer.
    for (const event of ['online', 'offline']) platform[how]?.(event, renew);
    platform.document?.[how]?.('visibilitychange', shown);
  }

  /** A page that is hidden leaves the socket alone, also one that is just opening. */
  function shown(): void {
    if (!platform.document?.hidden) renew();
  }

  function renew(session?: { accessToken?: string }): void {
    // While nothing is watched the caller is not known: the first one then is no other.
    if (!isWatching) return;
    if (session?.accessToken) meet(session.accessToken);
    void (isOpen ? beat : open)();
  }

  /** Closes the socket, and forgets it even where it cannot be closed. */
  function drop(): void {
    turn++;
    clearTimeout(next);
    heardOf();
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
    attempt = 0;
    isKnown = false;
    forget();
  }

  /** A later question does not put off the answer to an earlier one. */
  function expect(): void {
    deadline ??= setTimeout(lost, PATIENCE);
  }

  function heardOf(): void {
    clearTimeout(deadline);
    deadline = undefined;
  }

  async function open(): Promise<void> {
    drop();
    const own = turn;
    const isOwn = () => own === turn;
    expect();
    try {
      // Without a refusal it waits too: what opens it is there before it is told of a failure.
      await (stale && token && connection.refused?.(token, stale));
      stale = undefined;
      const given = await connection.token();
      if (!isOwn()) return;
      meet(given);
      const made = socket = new (constructorOf())(connection.base.replace(/^http/, 'ws'));
      made.onopen = () => { if (isOwn()) (token ? signIn : begin)(); };
      made.onmessage = ({ data }) => { if (isOwn()) hear(String(data)); };
      made.onclose = made.onerror = () => { if (isOwn()) lost(); };
    } catch (error) {
      if (!isOwn()) return;
      const reason = (error as Error | undefined)?.message;
      failAll(error instanceof RowgateError ? error : unreachable(`No socket: ${reason}`, error));
      lost();
    }
  }

  function constructorOf(): new (url: string) => Socket {
    return WebSocket ?? platform.WebSocket
      ?? refuse('This runtime has no WebSocket: give realtime one, of "ws" for example.', 'NOT_SUPPORTED');
  }

  /** It is answered in any case, so that it is the heartbeat too: pages cannot ping. The next one comes before the token ends. */
  function signIn(): void {
    expect();
    say('AUTHENTICATE', token ? { token } : {}, 'auth');
    const { iat = 0, exp = Infinity } = claimsOf(token ?? '');
    clearTimeout(next);
    next = setTimeout(beat, Math.min(heartbeat, (exp - iat) * 500));
  }

  function begin(): void {
    isOpen = true;
    openedAt = Date.now();
    heardOf();
    if (!token) next = setTimeout(beat, heartbeat);
    each(enter);
  }

  async function beat(): Promise<void> {
    const own = turn;
    expect();
    // A session that cannot be asked now still has its last token.
    const given = await (async () => connection.token())().catch(() => token);
    if (own !== turn) return;
    meet(given);
    if (isOpen) signIn();
  }

  /** No frame signs out, and nothing that the earlier caller has seen or begun is to look like the later one's. */
  function meet(given: Token): void {
    if (isKnown && callerOf(given) !== callerOf(token)) {
      if (isOpen) lost(0);
      forget();
    }
    isKnown = true;
    token = given;
  }

  function hear(text: string): void {
    const frame = parsed(text);
    if (!frame) return lost();
    const { type, requestId, subscriptionId, channel } = frame;
    if (isOpen) heardOf();
    if (type === 'AUTH_SUCCESS' && !isOpen) begin();
    // Without a token the heartbeat is refused, which is an answer.
    else if (type === 'AUTH_ERROR' && token) rejected(errorOf(frame), requestId);
    else {
      isThere = false; // the socket works, for as long as it lives
      answered(subscriptionId ?? channelKey(channel), frame);
    }
  }

  /** Undefined for half a frame, and for what no service says. */
  function parsed(text: string): Frame | undefined {
    // The head of an update says whose numbers these are.
    const [, name = ''] = /^\{"type":"\w+","subscriptionId":"(\w+)"/.exec(text) ?? [];
    const shape = connection.exact ? members.get(name)?.shape : undefined;
    const update = shape && { relations: { rows: shape, row: shape, meta: {} } };
    try {
      return readJson(text, update) as Frame;
    } catch {
      return undefined;
    }
  }

  /** At the end of a token, the next one is used at once. A refusal of one that was just sent is told. */
  function rejected(error: RowgateError, requestId: string | undefined): void {
    const { code, message } = error;
    // Refusals that another token may mend.
    if (['INVALID_TOKEN', 'TOKEN_EXPIRED', 'SESSION_ENDED'].includes(code)) {
      stale = new RowgateError({ status: 401, code: 'UNAUTHORIZED', message });
    }
    lost(requestId ? undefined : 0);
    if (requestId) failAll(error);
  }

  function lost(wait?: number): void {
    attempt = isOpen && Date.now() - openedAt >= STEADY ? 0 : attempt + 1;
    drop();
    each(member => { change(member, 'offline'); });
    if (attempt >= SUSPICIOUS - 1) void explain(isThere);
    isThere = false;
    next = setTimeout(open, wait ?? backoff(attempt));
  }

  /**
   * Platforms do not say why a socket did not open, or was closed. A service that answers before the attempt and after it has refused it;
   * another one may just have been started, or be ending.
   */
  async function explain(wasThere: boolean): Promise<void> {
    const own = turn;
    const answer = await fetch(connection.base, { mode: 'no-cors' }).catch(() => undefined);
    if (own !== turn) return;
    isThere = !!answer && answer.status < 502;
    if (wasThere && isThere) {
      failAll(unreachable('The service answers, but keeps no WebSocket open: check CORS_ORIGINS, REALTIME_CDC and each proxy.'));
    }
  }
}

function unreachable(message: string, cause?: unknown): RowgateError {
  return new RowgateError({ status: 0, code: 'NETWORK', message, details: { reason: 'connection' }, cause });
}
