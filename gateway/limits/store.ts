/** Whether one more is allowed. `retryAfter`: seconds until one is again; 0 where it is. */
export type Verdict = { allowed: boolean; remaining: number; retryAfter: number };

/** Counts allowed requests. Rejected ones do not count, or waiting would be of no use. */
export type RateStore = {
  /** Takes one of the `most` that a key has in a window. */
  take: (key: string, most: number) => Verdict | Promise<Verdict>;
};
