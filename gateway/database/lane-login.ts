import type postgres from 'postgres';
import { textConnection } from './connection.ts';
import type { Sessions } from './pooler.ts';

/**
 * The login of a lane's connections. `startup` restricts a login that its own settings do not restrict; `sessions`: the result of their
 * inspection.
 */
export type LaneLogin = { url: string; startup: Record<string, string>; sessions?: Sessions };

export function laneConnection({ url, startup }: LaneLogin, options: { connectTimeout: number; applicationName: string }): postgres.Sql {
  return textConnection(url, { ...options, startup });
}

/** An address for another login. A URL may name several hosts, which URL parsers refuse. */
export function withLogin(url: string, user: string, password: string): string {
  return url.replace(/^(\w+:\/\/)(?:[^@/]*@)?/, `$1${encodeURIComponent(user)}:${encodeURIComponent(password)}@`);
}

export function loginName(url: string): string {
  return decodeURIComponent(/^\w+:\/\/([^:@/]*)/.exec(url)?.[1] ?? '');
}

/** The same login at a server that is a copy of ours. The owner's own, when that is what requests use, is in the other URL. */
export function atAnotherServer({ url, startup }: LaneLogin, other: string): LaneLogin {
  const own = /^\w+:\/\/([^@/]*@)/.exec(url)?.[1];
  if (own === undefined || startup['role'] !== undefined) return { url: other, startup };
  return { url: other.replace(/^(\w+:\/\/)(?:[^@/]*@)?/, (_, scheme: string) => `${scheme}${own}`), startup };
}
