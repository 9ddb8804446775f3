import type { Socket } from '../../http/sockets.ts';
import type { Caller } from '../../identity/caller.ts';

/** Who asks over one socket. */
export type Session = {
  /** Of this connection, made by the service. */
  readonly id: string;
  /** Who it is now; without a sign-in the anonymous caller. */
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

/** What an error frame is about. */
export type About = { requestId: string | undefined } | { subscriptionId: string } | { channel: string };
