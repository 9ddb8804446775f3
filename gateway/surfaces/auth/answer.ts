import { type Reply } from '../../http/route.ts';

/** What is about one account is nobody's to keep. */
export function answer(body: object, headers: Record<string, string> = {}): Reply {
  return { headers: { 'Cache-Control': 'no-store', ...headers }, body: JSON.stringify(body) };
}

export function done(message: string, headers?: Record<string, string>): Reply {
  return answer({ success: true, message }, headers);
}
