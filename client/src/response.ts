/** Answers whose bodies are not read yet. */
import { send, type Connection, type Options, type Request } from './request.ts';

export type ResponseInit = Omit<RequestInit, 'signal' | 'headers'> & Options;

/** Only a GET is sent again after a lost connection. @throws RowgateError for a status that is no success. */
export async function fetchAnswer(
  connection: Connection, request: Omit<Request, 'method'>, { signal, timeout, retries, headers, ...init }: ResponseInit = {},
): Promise<Response> {
  const { method = 'GET', body } = init;
  let answer = new Response();
  const limit = new AbortController();
  let before: AbortSignal | undefined;
  const end = (): void => { limit.abort(before?.reason); };
  const fetching: typeof fetch = async (url, sent) => {
    before = (sent as RequestInit & { signal: AbortSignal }).signal;
    before.throwIfAborted();
    before.addEventListener('abort', end);
    answer = await connection.fetch(url, { ...sent, ...init, signal: AbortSignal.any([limit.signal, signal ?? limit.signal]) });
    return answer.ok ? new Response(null, { status: 204 }) : answer;
  };
  try {
    // A stream is read once: it is not sent again with another token.
    const refused = body instanceof ReadableStream ? undefined : connection.refused;
    await send({ ...connection, refused, fetch: fetching },
      { ...request, method: method as Request['method'] },
      { signal, timeout, retries: retries ?? (method === 'GET' ? undefined : 0), headers } as Options);
  } finally {
    // The time is that until the answer: its body may take longer, and ends by the caller's signal alone.
    before?.removeEventListener('abort', end);
  }
  return answer;
}
