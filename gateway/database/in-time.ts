import { setTimeout } from 'node:timers/promises';

/** For an answer of a server that may be there and silent. @throws Error after so many milliseconds without one. */
export async function inTime<T>(answer: Promise<T>, patience: number): Promise<T> {
  const waiting = new AbortController();
  const silence = setTimeout(patience, undefined, { ref: false, signal: waiting.signal })
    .then(() => { throw new Error(`no answer in ${patience} ms`); });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    silence.catch(() => undefined);
    waiting.abort();
  }
}
