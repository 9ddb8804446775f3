import { setTimeout } from 'node:timers/promises';

export class AnswerTimeout extends Error {}

/** For an answer of a server that may be there and silent. @throws AnswerTimeout after so many milliseconds without one. */
export async function withDeadline<T>(answer: Promise<T>, patience: number): Promise<T> {
  const waiting = new AbortController();
  const silence = setTimeout(patience, undefined, { ref: false, signal: waiting.signal })
    .then(() => { throw new AnswerTimeout(`no answer in ${patience} ms`); });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    silence.catch(() => undefined);
    waiting.abort();
  }
}
