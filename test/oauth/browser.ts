/** A browser and a network between a service and the libraries of others. */
import type { Session } from '../accounts/people.ts';
import { ISSUER, type OAuthService } from './clients.ts';

/** Requests to the public address go to the one that the test has. */
export function through({ address }: Pick<OAuthService, 'address'>): (url: string | URL, options?: object) => Promise<Response> {
  return (url, options) => fetch(String(url).replace(ISSUER, address), options);
}

/** A browser with a person before it: from the authorization URL to the redirect. */
export async function browse(
  { authorize, decide }: Pick<OAuthService, 'authorize' | 'decide'>, { access }: Session, url: URL,
): Promise<URL> {
  const { html } = await authorize(url.searchParams);
  const request_token = /name="request_token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const { location } = await decide({ request_token, session_token: access, decision: 'allow' });
  if (location === undefined) throw new Error('The browser was not sent back.');
  return location;
}

export async function errorOf(refused: Promise<unknown>): Promise<unknown> {
  return refused.then(() => 'none', (error: unknown) => (error as { error?: unknown }).error);
}
