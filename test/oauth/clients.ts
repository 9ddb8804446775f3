/** A service with its OAuth server, people at it, and what a client of theirs does. */
import { hash, randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { OPEN, serveAccounts, type Accounts, type Session } from '../accounts/people.ts';
import type { Answer, ServiceOptions } from '../harness/service.ts';

/** The address that the service is told to have; tests reach it elsewhere. */
export const ISSUER = 'https://api.example.com';
export const RESOURCE = `${ISSUER}/mcp`;
export const REDIRECT = 'https://client.example.com/callback';
export const SETTINGS = { ...OPEN, SERVICE_MCP_ENABLED: 'true', SERVICE_PUBLIC_URL: ISSUER, TRUSTED_PROXY_HOPS: '1' };

export type Registered = { client_id: string; client_secret?: string };
export type Tokens = { access_token: string; refresh_token: string; scope: string };
export type Page = { status: number; html: string; headers: Headers; location: URL | undefined };

export type OAuthClients = {
  /** Registers a client; public unless the metadata say otherwise. */
  registerClient: (metadata?: object) => Promise<Registered>;
  /** The authorization endpoint, without following redirects. */
  authorize: (parameters: Record<string, string | undefined> | URLSearchParams) => Promise<Page>;
  /** The request token that a page carries. */
  ask: (parameters: Record<string, string | undefined>) => Promise<string>;
  decide: (form: Record<string, string>, headers?: Record<string, string>) => Promise<Page>;
  /** A code for the client, from the page to the redirect. */
  codeFor: (client: Registered, session: Session, extra?: Record<string, string | undefined>) => Promise<string>;
  form: (path: string, form: Record<string, string | undefined> | URLSearchParams, headers?: Record<string, string>) => Promise<Answer>;
  redeem: (client: Registered, code: string, extra?: Record<string, string | undefined>) => Promise<Answer>;
  refresh: (client: Registered, token: string, extra?: Record<string, string | undefined>) => Promise<Answer>;
  /** From a session to tokens. */
  letIn: (client: Registered, session: Session, scope?: string) => Promise<Tokens>;
};
export type OAuthService = Accounts & OAuthClients;

export const VERIFIER = randomBytes(32).toString('base64url');
export const CHALLENGE = hash('sha256', VERIFIER, 'base64url');

let addresses = 0;

/** Every request from an address of its own: the limits have a test of their own. */
export function fromAnywhere(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `198.18.${(addresses >> 8) & 255}.${addresses & 255}` };
}

export async function serveOAuth(
  t: Pick<Test, 'teardown'>, env: Record<string, string> = {}, options: ServiceOptions = {},
): Promise<OAuthService> {
  return withClients(await serveAccounts(t, { ...SETTINGS, ...env }, options));
}

export function withClients<Service extends Pick<Accounts, 'address' | 'post' | 'request'>>(accounts: Service): Service & OAuthClients {
  const base = `${accounts.address}/api`;
  const authorize: OAuthClients['authorize'] = async parameters => {
    const url = `${base}/oauth/authorize?${given(parameters).toString()}`;
    return page(await fetch(url, { redirect: 'manual', headers: fromAnywhere() }));
  };
  const ask: OAuthClients['ask'] = async parameters => {
    const { html } = await authorize(parameters);
    return /name="request_token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  };
  const decide: OAuthClients['decide'] = async (form, headers = {}) => page(await fetch(`${base}/oauth/authorize/decision`, {
    method: 'POST', redirect: 'manual', body: new URLSearchParams(form), headers: { ...fromAnywhere(), ...headers },
  }));
  const form: OAuthClients['form'] = (path, fields, headers = {}) => accounts.request(path, {
    method: 'POST', as: null, body: given(fields).toString(),
    headers: { ...fromAnywhere(), 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
  const redeem: OAuthClients['redeem'] = (client, code, extra = {}) => form('/oauth/token', {
    grant_type: 'authorization_code', ...client, code, redirect_uri: REDIRECT, code_verifier: VERIFIER, ...extra,
  });
  const codeFor: OAuthClients['codeFor'] = async (client, session, extra = {}) => {
    const token = await ask({ ...requestOf(client), ...extra });
    const { location, html } = await decide({ request_token: token, session_token: session.access, decision: 'allow' });
    const code = location?.searchParams.get('code');
    if (!code) throw new Error(`no code: ${location?.href ?? html}`);
    return code;
  };
  return {
    ...accounts, authorize, ask, decide, form, redeem, codeFor,
    async registerClient(metadata = {}) {
      const { status, body, text } = await accounts.post('/oauth/register', {
        redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', client_name: 'A client', ...metadata,
      }, null, fromAnywhere());
      if (status !== 201) throw new Error(text);
      const { client_id, client_secret } = body as Registered;
      return { client_id, ...(client_secret !== undefined && { client_secret }) };
    },
    refresh: (client, token, extra = {}) =>
      form('/oauth/token', { grant_type: 'refresh_token', ...client, refresh_token: token, ...extra }),
    async letIn(client, session, scope = 'data:read data:write') {
      const { status, body, text } = await redeem(client, await codeFor(client, session, { scope }));
      if (status !== 200) throw new Error(text);
      return body as Tokens;
    },
  };
}

/** A right request of the client. */
export function requestOf({ client_id }: Registered): Record<string, string> {
  return {
    client_id, redirect_uri: REDIRECT, response_type: 'code', code_challenge: CHALLENGE, code_challenge_method: 'S256',
    resource: RESOURCE, scope: 'data:read data:write', state: 'a state',
  };
}

function given(parameters: Record<string, string | undefined> | URLSearchParams): URLSearchParams {
  if (parameters instanceof URLSearchParams) return parameters;
  return new URLSearchParams(Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

async function page(response: Response): Promise<Page> {
  const to = response.headers.get('location');
  return {
    status: response.status, html: await response.text(), headers: response.headers, location: to === null ? undefined : new URL(to),
  };
}
