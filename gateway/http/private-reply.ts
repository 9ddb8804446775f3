import type { Reply } from './route.ts';

/** JSON for one caller alone: no cache may keep it. */
export function privateReply(body: object, { status = 200, headers = {} }: Pick<Reply, 'status' | 'headers'> = {}): Reply {
  return { status, headers: { 'Cache-Control': 'no-store', ...headers }, body: JSON.stringify(body) };
}
