/** Issuers on loopback: a real one, and one that answers as a test wants. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { Provider } from 'oidc-provider';
import type { Test } from 'tap';

export const CLIENT = { id: 'app', secret: 'secret-of-the-app', redirectUri: 'https://app.example/back' };

export async function listen(t: Pick<Test, 'teardown'>, answer: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

export type Person = { email?: string; email_verified?: boolean; name?: string; picture?: string };
/** A code, and the verifier that goes with it. */
export type Code = { code: string; redirectUri: string; codeVerifier: string; iss: string };

/** oidc-provider. `conform`: it tells addresses at userinfo only, as the specification has it. */
export async function realIssuer(t: Pick<Test, 'teardown'>, { conform = false, redirectUri = CLIENT.redirectUri } = {}) {
  const people = new Map<string, Person>();
  let handle: RequestListener = () => undefined;
  const { url } = await listen(t, (request, response) => { handle(request, response); });
  const provider = new Provider(url, {
    clients: [
      { client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] },
      { client_id: 'other', client_secret: 'secret-of-the-other', redirect_uris: [CLIENT.redirectUri] },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    conformIdTokenClaims: conform,
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
    cookies: { keys: ['of a test'] },
  });
  const answer = provider.callback();
  handle = (request, response) => { void answer(request, response); };

  /** Does what a browser does: signs in, consents, and is sent back. */
  async function codeFor(sub: string, more: Record<string, string> = {}): Promise<Code> {
    const codeVerifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      client_id: CLIENT.id, redirect_uri: CLIENT.redirectUri, response_type: 'code', scope: 'openid email profile', state: 'x',
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'), code_challenge_method: 'S256', ...more,
    });
    const visit = browser(url);
    let location = (await visit(`/auth?${query.toString()}`)) ?? '';
    for (const prompt of ['login', 'consent']) {
      await visit(location);
      location = await visit(location, new URLSearchParams({ prompt, login: sub, password: 'any' })) ?? '';
      location = await visit(location) ?? '';
    }
    const { searchParams } = new URL(location);
    return { code: searchParams.get('code') ?? '', iss: searchParams.get('iss') ?? '', redirectUri: CLIENT.redirectUri, codeVerifier };
  }

  return { url, people, codeFor };
}

/** Keeps cookies; returns where an answer leads. */
function browser(origin: string): (path: string, form?: URLSearchParams) => Promise<string | null> {
  const cookies = new Map<string, string>();
  return async (path, form) => {
    const response = await fetch(new URL(path, origin), {
      redirect: 'manual', headers: { cookie: [...cookies].map(pair => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    if (response.status >= 400) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.headers.get('location');
  };
}

type Signed = { claims?: Record<string, unknown>; alg?: string; kid?: string; key?: CryptoKey | Uint8Array };

/** An issuer whose answers a test replaces: `answers['/keys'] = …`. */
export async function madeIssuer(t: Pick<Test, 'teardown'>) {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = [{ ...await exportJWK(publicKey), kid: 'one', alg: 'RS256', use: 'sig' }];
  const asked: string[] = [];
  const answers: Record<string, RequestListener> = {};
  const { url } = await listen(t, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(path);
    if (answers[path] !== undefined) return answers[path](request, response);
    response.writeHead(404).end();
  });
  const json = (body: unknown): RequestListener => (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const metadata = {
    issuer: url, authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys`,
    response_types_supported: ['code'], subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  };
  answers['/.well-known/openid-configuration'] = json(metadata);
  answers['/keys'] = json({ keys });

  /** Any claim may be replaced, or left out by undefined. */
  function idToken({ claims = {}, alg = 'RS256', kid = 'one', key = privateKey }: Signed = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const all = {
      iss: url, aud: CLIENT.id, sub: 'ada-1', iat: now, exp: now + 300, email: 'ada@example.org', email_verified: true,
      ...claims,
    };
    return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(key);
  }

  return { url, keys, publicKey, metadata, answers, asked, json, idToken };
}
