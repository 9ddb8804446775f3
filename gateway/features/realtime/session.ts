import type { Socket } from '../../http/sockets.ts';
import type { Caller } from '../../identity/caller.ts';

/** The requester of one socket. */
export type Session = {
  /** Id of this connection, made by the service. */
  readonly id: string;
  /** The current caller; without a sign-in the anonymous one. */
  readonly caller: Caller;
  readonly isAuthenticated: boolean;
  readonly socket: Socket;
  /** Aborted when the socket is closed. */
  readonly signal: AbortSignal;
  /** As JSON. */
  send: (frame: object) => void;
  /** Tells what went wrong, and logs it where that is the service's own fault. */
  refuse: (about: About, error: unknown) => void;
};

/** The subject of an error frame. */
export type About = { requestId: string | undefined } | { subscriptionId: string } | { channel: string };
