/** Requests outside of `/data`, which keep no keys of writes, and answers whose bodies are not read yet. */
import { send, type Connection, type Options, type Request, type WriteOptions } from './request.ts';

export const UNKEYED = { 'idempotency-key': undefined };

export type ResponseInit = Omit<RequestInit, 'signal' | 'headers'> & Options;

/** Only a GET is sent again after a lost connection. @throws RowgateError for a status that is no success. */
export async function fetchAnswer(
  connection: Connection, request: Omit<Request, 'method'>, { signal, timeout, retries, headers, ...init }: ResponseInit = {},
): Promise<Response> {
  const { method = 'GET', body } = init;
  let answer = new Response();
  const fetching: typeof fetch = async (url, sent) => {
    const before = (sent as RequestInit & { signal: AbortSignal }).signal;
    // The time is over when the answer begins: its body may take longer, and ends by the caller's signal alone.
    before.throwIfAborted();
    const limit = new AbortController();
    const end = (): void => { limit.abort(before.reason); };
    before.addEventListener('abort', end);
    answer = await connection.fetch(url, { ...sent, ...init, signal: AbortSignal.any([limit.signal, signal ?? limit.signal]) });
    if (!answer.ok) return answer;
    before.removeEventListener('abort', end);
    return new Response(null, { status: 204 });
  };
  // A stream is read once.
  const isOnce = body instanceof ReadableStream;
  await send({ ...connection, ...isOnce && { refused: undefined }, fetch: fetching },
    { ...request, method: method as Request['method'], headers: UNKEYED },
    { signal, timeout, retries: retries ?? (method === 'GET' ? undefined : 0), headers, idempotencyKey: '' } as WriteOptions);
  return answer;
}
