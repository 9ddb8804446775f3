import type { Frame } from './frame.ts';
import type { Session } from './session.ts';

export type FrameRule = {
  /** A request is answered <TYPE>_SUCCESS, or ERROR with its requestId. The others are not; errors name their subscriptionId or channel. */
  kind: 'request' | 'subscription' | 'channel';
  /**
   * The result of a request, or the promise of it, is its success payload: an object, or a Uint8Array that is the payload's JSON text
   * already. Requests run beside each other; the next frame of the socket waits for the promise of any other kind.
   * @throws ApiError, or rejects with it, what the error frame tells.
   */
  handle: (session: Session, frame: Frame) => unknown;
};

/** The frames of one part of realtime. The surface combines the parts. */
export type Part = {
  frames: Record<string, FrameRule>;
  /**
   * The session has another caller (or other roles or claims) now: work in progress for the earlier one delivers nothing any more.
   * AUTH_SUCCESS waits for it.
   */
  rebound?: (session: Session) => void | Promise<void>;
  /** The client has taken some of what waited for it. */
  drained?: (session: Session) => void;
  closed?: (session: Session) => void;
};
