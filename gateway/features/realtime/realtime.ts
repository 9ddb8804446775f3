import type { SocketSurface } from '../../http/sockets.ts';
import type { FrameRule, Part } from './frame-group.ts';
import { SocketSession } from './socket-session.ts';
import type { Logger } from 'pino';
import type { Caller } from '../../identity/caller.ts';

type RealtimeOptions = {
  parts: readonly Part[];
  /** @throws ApiError where no socket can be served. */
  admit: SocketSurface['admit'];
  /** Resolves the caller of this `Authorization` header. */
  callerOf: (authorization: string) => Caller | Promise<Caller>;
  /** Whether frames without a sign-in are served. */
  anonymous: boolean;
  log: Logger;
};

export type Realtime = SocketSurface & {
  /** How many sockets are open. */
  count: () => number;
  /** Looks anew at what the credentials of an account, or of all, are worth. Resolves when that is known. */
  judge: (uid?: string) => Promise<void>;
  close: () => Promise<void> | void;
};

/** Milliseconds. */
const SWEEP = 1_000;
/** Milliseconds for which the caller of a silent socket is trusted. */
const TRUST = 30_000;
/** How many are looked at at a time. */
const AT_ONCE = 32;

export function createRealtime({ parts, admit, callerOf, anonymous, log }: RealtimeOptions): Realtime {
  const rules = new Map<string, FrameRule>(parts.flatMap(({ frames }) => Object.entries(frames)));
  const sessions = new Set<SocketSession>();
  const common = { callerOf, rules, parts, anonymous, log, ended: (session: SocketSession) => { sessions.delete(session); } };
  const sweep = setInterval(() => void judgeAll(due([...sessions])), SWEEP).unref();

  return { admit, accept, judge, count: () => sessions.size, close: () => clearInterval(sweep) };

  function accept(socket: SocketSession['socket']): SocketSession {
    const session = new SocketSession(socket, common);
    sessions.add(session);
    return session;
  }

  function judge(uid?: string): Promise<void> {
    return judgeAll([...sessions].filter(({ caller }) => uid === undefined || caller.uid === uid));
  }
}

function due(sessions: SocketSession[]): SocketSession[] {
  const [now, moment] = [Date.now(), performance.now()];
  return sessions.filter(({ caller, askedAt }) => caller.expiresAt <= now || moment - askedAt >= TRUST);
}

/** A caller that could not be looked up is looked up again. */
async function judgeAll(sessions: SocketSession[]): Promise<void> {
  const next = sessions.values();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (const session of next) await session.judge().catch(() => undefined);
  }));
}

