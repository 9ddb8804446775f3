import { addAbortSignal, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** What is not ok need not be JSON, and is not read as such. */
export type Answered = { ok: boolean; status: number; answer: unknown };

/**
 * Asks another server. Redirects are not followed.
 * @param patience milliseconds for the whole answer.
 * @throws what `fetch` does, a SyntaxError for what is no JSON.
 */
export async function postForm(url: string, form: Record<string, string>, patience: number): Promise<Answered> {
  const signal = AbortSignal.timeout(patience);
  const { ok, status, body } = await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'error', signal });
  // `fetch` loses its signal to the garbage collector once there is a head (nodejs/node#55428), and a body may never end.
  const answer = body === null ? '' : await text(addAbortSignal(signal, Readable.fromWeb(body)));
  return { ok, status, answer: ok ? JSON.parse(answer) as unknown : answer };
}
