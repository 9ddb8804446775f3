import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { ApiError, type ErrorCode } from '../../error.ts';
import type { Connection, Socket } from '../../http/sockets.ts';
import { anonymousCaller, isSameCaller, type Caller } from '../../identity/caller.ts';
import { credentialOf } from './authentication.ts';
import { authErrorFrame, errorFrame, NoFrame, parseFrame, successText, type Frame } from './frame.ts';
import type { FrameRule, Part } from './frame-group.ts';
import { FrameRate, MOST_FRAMES } from './rate.ts';
import type { About, Session } from './session.ts';

/** Services that all sessions share. */
export type Common = {
  callerOf: (authorization: string) => Caller | Promise<Caller>;
  /** By type of frame. */
  rules: ReadonlyMap<string, FrameRule>;
  parts: readonly Part[];
  /** Whether frames without a sign-in are served. */
  anonymous: boolean;
  log: Logger;
  ended: (session: SocketSession) => void;
};

type Waiting = { frame: Frame; rule: FrameRule | undefined };

/** Bytes of a message before the sign-in. */
const LONGEST_OF_STRANGERS = 64 * 1024;
/** Requests of one socket that run beside each other. */
const MOST_UNDER_WAY = 32;
/** Unsent bytes above which no further request begins. */
const MUCH_UNSENT = 4 * 1024 * 1024;
/** Bytes of the frames that wait for their turn; more are refused. */
const MOST_WAITING = 16 * 1024 * 1024;
/** Milliseconds for which frames of channels, which are many, may rely on an earlier check of the caller. */
const CHANNEL_TRUST = 1_000;
const AUTHENTICATE = 'AUTHENTICATE';

/** One socket: its frames in order, each authorized for its caller at that moment. */
export class SocketSession implements Session, Connection {
  readonly id = randomUUID();
  readonly socket: Socket;
  caller: Caller = anonymousCaller;
  isAuthenticated = false;
  /** When it was last asked what the credential is worth, by performance.now(). */
  askedAt = performance.now();

  readonly #common: Common;
  #authorization = '';
  /** When it was last found to be worth something. */
  #goodAt = -Infinity;
  #hasEnded = false;
  #abort: AbortController | undefined;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isAtWork = false;
  /** Pending while frames wait for the client to take earlier ones. */
  #drain: PromiseWithResolvers<void> | undefined;
  readonly #underWay = new Set<Promise<void>>();
  readonly #rates = { channel: new FrameRate(MOST_FRAMES.channel), other: new FrameRate(MOST_FRAMES.other) };

  constructor(socket: Socket, common: Common) {
    this.socket = socket;
    this.#common = common;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isOver()) this.#abort.abort();
    return this.#abort.signal;
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  refuse(about: About, error: unknown): void {
    this.#logFault(error, about);
    if (!this.#isOver()) this.send(errorFrame(about, error));
  }

  heard(text: Buffer): void {
    if (this.#isOver()) return;
    if (text.length > LONGEST_OF_STRANGERS && !this.isAuthenticated && !this.#common.anonymous) {
      return this.socket.close(1009, `Before ${AUTHENTICATE} messages are at most ${LONGEST_OF_STRANGERS} bytes long.`);
    }
    let about: About = { requestId: undefined };
    try {
      const { frame, rule } = this.#read(text);
      about = aboutOf(frame, rule);
      this.#rates[rule?.kind === 'channel' ? 'channel' : 'other'].take();
      if (rule === undefined && frame.type !== AUTHENTICATE) throw unknownType(frame);
      this.#queue({ frame, rule });
    } catch (error) {
      this.refuse(error instanceof NoFrame ? { requestId: error.requestId } : about, error);
    }
  }

  heardBinary(): void {
    try {
      this.#rates.other.take();
      throw new NoFrame('A message must be text.');
    } catch (error) {
      this.refuse({ requestId: undefined }, error);
    }
  }

  drained(): void {
    this.#resume();
    this.#tell(part => part.drained?.(this));
  }

  closed(): void {
    this.#hasEnded = true;
    this.#waiting.length = 0;
    this.#resume();
    this.#abort?.abort();
    this.#common.ended(this);
    this.#tell(part => part.closed?.(this));
  }

  /** One that fails keeps it from no other. */
  #tell(say: (part: Part) => void): void {
    for (const part of this.#common.parts) {
      try {
        say(part);
      } catch (error) {
        this.#logFault(error, {});
      }
    }
  }

  /**
   * Checks again what the credential is worth. A refusal ends the session; with other roles or claims, the parts are notified.
   * @throws ApiError 503 ROLE_LOOKUP_FAILED; the session keeps its caller.
   */
  async judge(): Promise<void> {
    if (!this.isAuthenticated || this.#isOver()) return;
    if (this.caller.expiresAt <= Date.now()) return this.#expire();
    const authorization = this.#authorization;
    const asked = this.askedAt = performance.now();
    try {
      const known = this.#common.callerOf(authorization);
      const caller = known instanceof Promise ? await known : known;
      if (authorization !== this.#authorization) return;
      this.#goodAt = asked;
      await this.#become(caller);
    } catch (error) {
      if (authorization !== this.#authorization || this.#isOver()) return;
      if (!isRefused(error)) throw error;
      if (this.caller.expiresAt <= Date.now()) return this.#expire();
      this.#end('SESSION_ENDED', 'The sign-in of this socket has ended.');
    }
  }

  #resume(): void {
    this.#drain?.resolve();
    this.#drain = undefined;
  }

  #isOver(): boolean {
    return this.#hasEnded;
  }

  #expire(): void {
    this.#end('TOKEN_EXPIRED', 'The time of this credential is over.');
  }

  #read(text: Buffer): Waiting {
    try {
      const frame = parseFrame(text.toString());
      return { frame, rule: this.#common.rules.get(frame.type) };
    } catch (error) {
      this.#rates.other.take();
      throw error;
    }
  }

  #queue(waiting: Waiting): void {
    const size = waiting.frame.text.length;
    if (this.#waitingBytes > 0 && this.#waitingBytes + size > MOST_WAITING) {
      throw new ApiError(429, 'RATE_LIMITED', 'Too much of this socket waits for an answer already.', { retryAfterSeconds: 1 });
    }
    this.#waitingBytes += size;
    this.#waiting.push(waiting);
    if (!this.#isAtWork) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isAtWork = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#waitingBytes -= next.frame.text.length;
      await this.#take(next);
    }
    this.#isAtWork = false;
  }

  /** Never rejects. */
  async #take({ frame, rule }: Waiting): Promise<void> {
    try {
      if (rule === undefined) return await this.#authenticate(frame);
      if (rule.kind !== 'channel' || performance.now() - this.#goodAt >= CHANNEL_TRUST) await this.judge();
      if (this.#isOver()) return;
      if (!this.isAuthenticated && !this.#common.anonymous) throw new ApiError(401, 'UNAUTHORIZED', `Send ${AUTHENTICATE} first.`);
      if (rule.kind === 'request') await this.#begin(frame, rule);
      else await rule.handle(this, frame);
    } catch (error) {
      this.refuse(aboutOf(frame, rule), error);
    }
  }

  /** The next frame does not wait for its answer. */
  async #begin(frame: Frame, rule: FrameRule): Promise<void> {
    while (this.#underWay.size >= MOST_UNDER_WAY) await Promise.race(this.#underWay);
    while (this.socket.unsent > MUCH_UNSENT) await (this.#drain ??= Promise.withResolvers()).promise;
    if (this.#isOver()) return;
    const answer = this.#answer(frame, rule).finally(() => this.#underWay.delete(answer));
    this.#underWay.add(answer);
  }

  async #answer(frame: Frame, { handle }: FrameRule): Promise<void> {
    const { type, requestId } = frame;
    try {
      const payload = await handle(this, frame);
      if (!this.#isOver()) this.socket.send(successText(type, requestId, payload));
    } catch (error) {
      this.refuse({ requestId }, error);
    }
  }

  /** A refused credential changes nothing. */
  async #authenticate({ requestId, payload }: Frame): Promise<void> {
    try {
      const authorization = `Bearer ${credentialOf(payload)}`;
      const caller = await this.#common.callerOf(authorization);
      if (!isSameCaller(caller, this.caller)) await Promise.all(this.#underWay); // their requests belong to the earlier caller
      if (this.#isOver()) return;
      this.#authorization = authorization;
      this.isAuthenticated = true;
      await this.#become(caller);
      await this.judge(); // what was heard meanwhile
      if (this.#isOver()) return;
      this.send({ type: 'AUTH_SUCCESS', requestId, payload: { uid: this.caller.uid, roles: this.caller.roles } });
    } catch (error) {
      this.#logFault(error, { requestId });
      if (!this.#isOver()) this.send(authErrorFrame(isRefused(error) ? invalidToken(error) : error, requestId));
    }
  }

  async #become(caller: Caller): Promise<void> {
    const earlier = this.caller;
    this.caller = caller;
    if (isSameCaller(caller, earlier)) return;
    const told = await Promise.allSettled(this.#common.parts.map(async part => part.rebound?.(this)));
    for (const { reason } of told.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]) this.#logFault(reason, {});
  }

  #end(code: ErrorCode, message: string): void {
    if (this.#isOver()) return;
    this.send(authErrorFrame(new ApiError(401, code, message)));
    this.socket.close(4001, code);
  }

  #logFault(error: unknown, about: object): void {
    const isOwn = !(error instanceof ApiError) || (error.status >= 500 && error.status !== 501);
    if (isOwn) this.#common.log.error({ session: this.id, ...about, err: error }, 'a frame failed');
  }
}

function aboutOf({ requestId, payload }: Frame, rule: FrameRule | undefined): About {
  const { subscriptionId, channel } = payload;
  if (rule?.kind === 'subscription' && typeof subscriptionId === 'string') return { subscriptionId };
  if (rule?.kind === 'channel' && typeof channel === 'string') return { channel };
  return { requestId };
}

function unknownType({ type, requestId }: Frame): NoFrame {
  return new NoFrame(`There is no frame of type ${JSON.stringify(type.slice(0, 50))}.`, requestId, 'UNKNOWN_MESSAGE_TYPE');
}

function isRefused(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}

function invalidToken(cause: ApiError): ApiError {
  return new ApiError(401, 'INVALID_TOKEN', cause.message, undefined, { cause });
}
