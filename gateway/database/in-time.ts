import { setTimeout } from 'node:timers/promises';

export class Silence extends Error {}

/** For an answer of a server that may be there and silent. @throws Silence after so many milliseconds without one. */
export async function inTime<T>(answer: Promise<T>, patience: number): Promise<T> {
  const waiting = new AbortController();
  const silence = setTimeout(patience, undefined, { ref: false, signal: waiting.signal })
    .then(() => { throw new Silence(`no answer in ${patience} ms`); });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    silence.catch(() => undefined);
    waiting.abort();
  }
}
