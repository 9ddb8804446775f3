import type { Logger } from 'pino';
import type { SocketSurface } from '../../http/sockets.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Part } from './frame-group.ts';

export type RealtimeOptions = {
  parts: readonly Part[];
  /** @throws ApiError where no socket can be served. */
  admit: SocketSurface['admit'];
  /** Who sends this `Authorization` header. */
  callerOf: (authorization: string) => Caller | Promise<Caller>;
  /** Whether frames without a sign-in are served. */
  anonymous: boolean;
  log: Logger;
};
