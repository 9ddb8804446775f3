/** Requests outside of `/data`, which keep no keys of writes, and answers whose bodies are not read yet. */
import { mapped } from './parameters.ts';
import { send, type Connection, type Options, type Request } from './request.ts';

export const UNKEYED = { 'idempotency-key': undefined };

export type ResponseInit = Omit<RequestInit, 'signal' | 'headers'> & Options;

/** Only a GET is sent again after a lost connection. @throws RowgateError for a status that is no success. */
export async function fetchAnswer(
  connection: Connection, request: Omit<Request, 'method'>, { signal, timeout, retries, headers, ...init }: ResponseInit = {},
): Promise<Response> {
  const { method = 'GET' } = init;
  let answer = new Response();
  const fetching: typeof fetch = async (url, sent) => {
    answer = await connection.fetch(url, { ...sent, ...init });
    return answer.ok ? new Response(null, { status: 204 }) : answer;
  };
  await send({ ...connection, fetch: fetching }, { ...request, method: method as Request['method'], headers: UNKEYED },
    mapped({ signal, timeout, retries: retries ?? (method === 'GET' ? undefined : 0), headers, idempotencyKey: '' }, value => value));
  return answer;
}
