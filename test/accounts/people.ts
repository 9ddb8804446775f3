/** People at a service: what a client of the account routes does. */
import type { Test } from 'tap';
import { lendService, type LendOptions } from '../harness/lend.ts';
import { createService, openService, type Answer, type ServiceOptions, type TestService } from '../harness/service.ts';

export const PASSWORD = 'Correct-horse-1';
export const OPEN = { ALLOW_REGISTRATION: 'true' };

export type Session = { uid: string; access: string; refresh: string };
export type Accounts = TestService & {
  post: (path: string, body?: object, as?: string | null, headers?: Record<string, string>) => Promise<Answer>;
  register: (email: string, password?: string) => Promise<Session>;
  login: (email: string, password?: string) => Promise<Session>;
};

/** A service that may have been another test's. Its limits go on where that left them: who signs in often needs serveAccounts(). */
export async function lendAccounts(
  t: Pick<Test, 'teardown'>, env: Record<string, string> = OPEN, options: LendOptions = {},
): Promise<Accounts> {
  return withPeople(await lendService(t, { template: 'served', ...options, env }));
}

export async function serveAccounts(
  t: Pick<Test, 'teardown'>, env: Record<string, string> = OPEN, options: ServiceOptions = {},
): Promise<Accounts> {
  return withPeople(await createService(t, { template: 'served', ...options, env }));
}

/** On a database that is there. */
export async function serveAt(t: Pick<Test, 'teardown'>, url: string, env: Record<string, string>): Promise<Omit<Accounts, 'sql' | 'url'>> {
  const service = await openService(url, env);
  t.teardown(service.close);
  return withPeople(service);
}

export function withPeople<Service extends Pick<TestService, 'request'>>(service: Service): Service & Omit<Accounts, keyof TestService> {
  const post: Accounts['post'] = (path, body = {}, as = null, headers = {}) =>
    service.request(path, { method: 'POST', as, headers, body: JSON.stringify(body) });
  const signIn = (path: string) => async (email: string, password = PASSWORD) => sessionOf(await post(path, { email, password }));
  return { ...service, post, register: signIn('/auth/register'), login: signIn('/auth/login') };
}

export function sessionOf({ status, body, text }: Answer): Session {
  if (status > 201) throw new Error(`${status}: ${text}`);
  return { uid: body.user.uid, access: body.tokens.accessToken, refresh: body.tokens.refreshToken };
}

/** Status and code of a refusal. */
export function refusal({ status, body }: Answer): [status: number, code: string] {
  return [status, body.error?.code];
}
