import { request } from './request.ts';

/** An answer that is not ok need not be JSON, and is not read as such. */
export type Answered = { ok: boolean; status: number; answer: unknown };

/** Bytes. Answers to forms are small. */
const MOST = 1_000_000;

/**
 * Sends a form to a server that the operator has named. Redirects are not followed.
 * @param deadline milliseconds for the whole answer
 * @throws OutboundError, and a SyntaxError for an ok answer that is no JSON.
 */
export async function postForm(url: string, form: Record<string, string>, deadline: number): Promise<Answered> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8', 'accept': 'application/json' };
  const { status, body } = await request({
    url, method: 'POST', headers, body: new URLSearchParams(form).toString(), deadline, most: MOST, reach: 'any',
  });
  const ok = status >= 200 && status < 300;
  return { ok, status, answer: ok ? JSON.parse(body.toString()) as unknown : body.toString() };
}
