import type { Reply } from './route.ts';

/** JSON for one caller alone: no cache may keep it. */
export function privateReply(body: object, { status = 200, headers = {} }: Pick<Reply, 'status' | 'headers'> = {}): Reply {
  return { ...privateText(JSON.stringify(body)), status, headers: { ...NO_STORE, ...headers } };
}

/** The same for JSON that the database wrote. */
export function privateText(body: string): Reply {
  return { headers: NO_STORE, body };
}

const NO_STORE = { 'Cache-Control': 'no-store' };
