import { ApiError } from '../../error.ts';

const MINUTE = 60_000;
/** Frames of one socket in a minute. */
export const MOST_FRAMES = { channel: 7_200, other: 2_000 };

/** Counts in minutes that begin with the first frame after the last one. */
export class FrameRate {
  readonly #most: number;
  #count = 0;
  #since = -Infinity;

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws ApiError 429 RATE_LIMITED */
  take(now = performance.now()): void {
    if (now - this.#since >= MINUTE) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= this.#most) return;
    const retryAfterSeconds = Math.ceil((this.#since + MINUTE - now) / 1_000);
    const message = `More than ${this.#most} frames of this kind in a minute. Try again in ${retryAfterSeconds} seconds.`;
    throw new ApiError(429, 'RATE_LIMITED', message, { retryAfterSeconds });
  }
}
