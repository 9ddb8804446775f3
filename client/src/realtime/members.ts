/** Subscriptions and channels, the members of a socket: their states, their failures, and when they are asked for again. */
import { run } from '../callback.ts';
import { RowgateError } from '../error.ts';
import type { Shape } from '../json.ts';

/** `live`: as the service has it. `catching up`: asked for, or refused, and not yet answered. `offline`: without a connection. */
export type State = 'live' | 'catching up' | 'offline';

type Refusal = { code: RowgateError['code']; message: string; details?: { retryAfterSeconds?: number } };
/** A frame of the service, which says in its type what else it has. */
export interface Frame {
  type: string;
  requestId?: string;
  subscriptionId?: string;
  channel?: string;
  payload?: { error?: Refusal };
}
export type Timer = ReturnType<typeof setTimeout> | undefined;

/** A subscription or a channel. */
export interface Member {
  state: State;
  /** Says what it needs to a socket that knows nothing of it. */
  ask: () => void;
  /** A frame that names it. */
  heard: (frame: Frame) => void;
  /** Its state is another one. */
  changed: (state: State) => unknown;
  failed: (error: RowgateError) => unknown;
  /** The caller is another one: nothing of the earlier one's is shown to it. */
  forget: () => void;
  /** Which numbers of its rows are exact. */
  shape?: Shape | undefined;
  /** The refusal that holds. */
  failure?: RowgateError | undefined;
  /** The failure that was told last, a refusal or one of the socket: the same one is not told twice. */
  told?: RowgateError | undefined;
  attempt?: number | undefined;
  retry?: Timer;
}

/** With jitter, because all clients of a service lose it at the same moment. */
export function backoff(attempt: number): number {
  const LONGEST = 30_000;
  return Math.min(LONGEST, 1_000 * 2 ** attempt) * (0.1 + 0.9 * Math.random());
}

/** Frames have no status. */
export function errorOf({ payload }: Frame): RowgateError {
  const { code = 'NETWORK', message = 'Refused without a reason.', details } = payload?.error ?? {};
  return new RowgateError({ status: 0, code, message, details, retryAfter: details?.retryAfterSeconds });
}

/**
 * @param isOpen whether the socket is signed in
 * @param patience milliseconds after which a member that is not answered is asked for again, and some more
 */
export function createMembers(isOpen: () => boolean, patience: number) {
  const members = new Map<string, Member>();
  /** Why there is no socket, until one brings an answer. */
  let broken: RowgateError | undefined;

  return { members, each, answered, change, enter, expectAnswer, refused, late, failAll, forget };

  /** Those that a callback of another one ends are left out. */
  function each(callback: (member: Member) => void): void {
    for (const [name, member] of [...members]) if (members.get(name) === member) callback(member);
  }

  function answered(name: string, frame: Frame): void {
    broken = undefined;
    members.get(name)?.heard(frame);
  }

  function change(member: Member, state: State): void {
    if (state !== 'catching up') clearTimeout(member.retry);
    if (state === 'live') member.failure = member.told = member.attempt = undefined;
    if (member.state === state) return;
    member.state = state;
    member.changed(state);
  }

  function enter(member: Member): void {
    expectAnswer(member);
    member.ask();
    change(member, 'catching up'); // last: who is told may end it
  }

  /** The socket may answer its heartbeats while a frame was lost on the way. The service replaces a subscription that it has. */
  function expectAnswer(member: Member): void {
    again(member, patience + backoff(member.attempt ?? 0));
  }

  function refused(member: Member, error: RowgateError): void {
    again(member, Math.max((error.retryAfter ?? 0) * 1_000, backoff(member.attempt ?? 0)));
    change(member, 'catching up');
    tell(member, error, error);
  }

  function again(member: Member, wait: number): void {
    clearTimeout(member.retry);
    member.retry = setTimeout(() => {
      member.attempt = (member.attempt ?? 0) + 1;
      if (isOpen()) enter(member);
    }, wait);
  }

  function tell(member: Member, error: RowgateError, failure?: RowgateError): void {
    const { told } = member;
    member.failure = failure;
    member.told = error;
    if (error.code !== told?.code || error.message !== told.message) void run(member.failed, error);
  }

  /** One that comes later is told of the failure that holds, after its caller has it. */
  function late(member: Member, failed: Member['failed']): void {
    const failure = member.told = isOpen() ? member.failure : broken ?? member.failure;
    if (failure) queueMicrotask(() => { void run(failed, failure); });
  }

  function failAll(error: RowgateError): void {
    broken = error;
    each(member => { tell(member, error); });
  }

  /** The caller is another one. */
  function forget(): void {
    broken = undefined;
    each(member => { member.forget(); });
  }
}

/** No subscription has such an id. */
export function channelKey(name: string | undefined): string {
  return `#${name ?? ''}`;
}
