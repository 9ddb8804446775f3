/** Clients of the account routes, and what stands between them and the service. */
import type { Test } from 'tap';
import { createAuth, memory, RowgateError, type Auth, type SessionStorage } from '../../../client/src/index.ts';
import { OPEN, PASSWORD, serveAccounts, type Accounts } from '../../accounts/people.ts';
import { meddler, type Meddling } from '../meddler.ts';

export const ADA = { email: 'ada@example.org', password: PASSWORD };

export async function serveShort(t: Pick<Test, 'teardown'>, env: Record<string, string> = {}): Promise<Accounts> {
  return serveAccounts(t, { ...OPEN, JWT_ACCESS_EXPIRES_IN: '2s', ...env });
}

/** So many clients that share a storage as tabs do. */
export function tabs(url: string, count: number, storage: SessionStorage = memory(), more: { now?: () => number } = {}): Auth[] {
  return Array.from({ length: count }, () => createAuth({ url, storage, ...more }));
}

/** Code and status of a refusal; undefined for an answer. */
export async function refused(promise: Promise<unknown>): Promise<[string, number] | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (!(error instanceof RowgateError)) throw error;
    return [error.code, error.status];
  }
}

export type Proxy = {
  url: string;
  /** Paths of the requests that came by. */
  asked: string[];
  /** Decides what becomes of an answer to a refresh: true passes it on. */
  meddle: Meddling;
};

/** Passes requests on; `meddle` may answer refreshes in the place of the service, which has seen them by then. */
export async function proxy(t: Pick<Test, 'teardown'>, address: string): Promise<Proxy> {
  const through: Proxy = { url: '', asked: [], meddle: () => true };
  const { url } = await meddler(t, address, (...answer) => through.meddle(...answer), ({ url = '' }) => {
    through.asked.push(url);
    return url === '/api/auth/refresh';
  });
  through.url = url;
  return through;
}
