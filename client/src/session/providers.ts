/** Sign-in with a provider: a redirect there and back, with PKCE (RFC 7636). */
import { refuse } from '../error.ts';
import { parametersOf } from '../parameters.ts';
import type { Options } from '../request.ts';
import type { SessionHolder } from './session.ts';
import type { Session } from './state.ts';

interface Offered {
  name: string;
  clientId: string;
  authorizationUrl: string | null;
  scopes: string[];
}
export interface Identity {
  provider: string;
  providerId: string;
  email: string | null;
  emailVerified: boolean;
  createdAt: string;
}
interface Begun {
  name: string;
  state: string;
  nonce?: string;
  codeVerifier: string;
  redirectUri: string;
  /** Adds the identity to the account that is signed in. */
  link: boolean;
}

// The part of a browser that this file needs: others import it too.
declare const location: { origin: string; pathname: string; search: string; hash: string; assign(url: string): void };
declare const history: { readonly state: unknown; replaceState(data: unknown, unused: string, url: string): void };

/** Where the page that comes back finds what it began with this service: in this tab alone. */
const PLACE = 'rowgate.provider ';

/** GET /auth/config, then the page of the provider. `redirectUri`: where it sends people back to; this page. */
export async function signInWith(
  { base, call }: SessionHolder, name: string, { redirectUri = location.origin + location.pathname, link = false } = {},
): Promise<void> {
  const { providers } = await call<{ providers: Offered[] }>({ method: 'GET', path: ['config'] });
  const offer = providers.find(offered => offered.name === name) ?? refuse(`"${name}" is no provider.`);
  const { authorizationUrl, clientId, scopes } = offer;
  const url = new URL(authorizationUrl ?? refuse(`The provider "${name}" cannot be reached.`, 'NETWORK'));
  const isOpenId = scopes.includes('openid');
  const [state, codeVerifier, nonce] = [random(), random(), random()];
  const begun: Begun = { name, state, codeVerifier, redirectUri, link, ...isOpenId && { nonce } };
  sessionStorage.setItem(PLACE + base, JSON.stringify(begun));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  const asked = {
    client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: scopes.join(' '), state,
    code_challenge: base64url(hash), code_challenge_method: 'S256', ...isOpenId && { nonce },
  };
  for (const [key, value] of Object.entries(asked)) url.searchParams.set(key, value);
  location.assign(url.href);
}

/** The same for the account that is signed in: another way into it. */
export function linkWith(session: SessionHolder, name: string, { redirectUri }: { redirectUri?: string } = {}): Promise<void> {
  return signInWith(session, name, { link: true, ...redirectUri !== undefined && { redirectUri } });
}

/**
 * POST /auth/:provider, or /auth/link/:provider, with the code that the provider has sent back, which is taken out of the address with its
 * state and issuer. To be called when the page begins; undefined where this tab has begun no sign-in, or the address has no answer of a
 * provider.
 * @throws RowgateError OAUTH_ERROR for a refusal of the provider, and for an answer to another sign-in than the one that was begun.
 */
export async function finishSignIn({ base, call, enter, refresh }: SessionHolder): Promise<Session | undefined> {
  const answer = new URLSearchParams(location.search);
  const [code, error] = [answer.get('code'), answer.get('error')];
  const kept = sessionStorage.getItem(PLACE + base);
  // A shop's address may have a code too.
  if (kept === null || !answer.has('state') || (code ?? error) === null) return undefined;
  const { state, name, link, ...begun } = JSON.parse(kept) as Begun;
  sessionStorage.removeItem(PLACE + base);
  // A reload does not send the code again. The rest of the address is the page's.
  const rest = location.search.slice(1).split('&').filter(part => !/^(code|state|iss|error\w*)=/.test(part)).join('&');
  history.replaceState(history.state, '', location.pathname + (rest && `?${rest}`) + location.hash);
  // An answer that was not asked for would sign in to a stranger's account.
  if (answer.get('state') !== state) refuse('This page began another sign-in.', 'OAUTH_ERROR');
  if (code === null) refuse(`${name} refused: ${error} (${answer.get('error_description') ?? 'no reason'})`, 'OAUTH_ERROR');
  const iss = answer.get('iss');
  const body = { ...begun, code, ...iss !== null && { iss } };
  if (!link) return enter({ path: [name], body });
  await call({ method: 'POST', path: ['link', name], body });
  return refresh();
}

/** GET /auth/identities */
export async function listIdentities({ call }: SessionHolder, options?: Options): Promise<Identity[]> {
  return (await call<{ identities: Identity[] }>({ method: 'GET', path: ['identities'] }, options)).identities;
}

/** DELETE /auth/identities/:provider */
export async function removeIdentity({ call }: SessionHolder, provider: string, providerId?: string, options?: Options): Promise<void> {
  await call({ method: 'DELETE', path: ['identities', provider], query: parametersOf({ providerId }) }, options);
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)).buffer);
}

function base64url(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
}
