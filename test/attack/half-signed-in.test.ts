// Credentials that are no access token, at each row of the table that requests are routed by.
import { test } from 'tap';
import { ROWS } from '../../gateway/features/accounts/providers/rows.ts';
import type { Route } from '../../gateway/http/route.ts';
import { tokenFor } from '../harness/service.ts';
import { BASE, halfCredentials, send, serveWhole } from './whole-service.ts';

/** Routes that ask for no caller, and why. All others answer 401. */
const PUBLIC: Record<string, string> = {
  'GET /livez': 'probe', 'GET /health': 'probe',
  'GET /docs': 'open outside production', 'GET /docs/:name': 'open outside production', 'GET /': 'open outside production',
  'GET /swagger': 'files of the explorer', 'GET /swagger/:name': 'files of the explorer',
  'GET /meta/schema-version': 'says nothing of rows', 'GET /.well-known/jwks.json': 'public keys',
  'GET /auth/config': 'what a sign-in page offers',
  'POST /auth/register': 'begins a session', 'POST /auth/login': 'begins a session', 'POST /auth/anonymous': 'begins a session',
  'POST /auth/passkeys/login/options': 'begins a session', 'POST /auth/passkeys/login': 'begins a session',
  ...Object.fromEntries(ROWS.map(({ name }) => [`POST /auth/${name}`, 'begins a session'])),
  'POST /auth/forgot-password': 'mails a token', 'POST /auth/magic-link': 'mails a token', 'POST /auth/otp': 'mails a token',
  'POST /auth/reset-password': 'takes a mailed token', 'POST /auth/magic-link/verify': 'takes a mailed token',
  'POST /auth/otp/verify': 'takes a mailed token', 'GET /auth/verify-email': 'takes a mailed token',
  'POST /auth/verify-email': 'takes a mailed token', 'POST /auth/confirm-email-change': 'takes a mailed token',
  'GET /.well-known/oauth-protected-resource': 'says where clients begin', 'GET /.well-known/oauth-authorization-server': 'the same',
  'GET /.well-known/oauth-protected-resource/mcp': 'the same', 'GET /.well-known/openid-configuration': 'the same',
  'POST /oauth/register': 'clients register by themselves',
  'GET /oauth/authorize': 'a page that signs in', 'POST /oauth/authorize': 'leads to the same',
  'GET /oauth/authorize/callback': 'a page that takes the answer of a provider', 'POST /oauth/authorize/callback': 'leads to the same',
  'POST /oauth/authorize/decision': 'takes a session in its form',
  'POST /oauth/token': 'clients prove themselves in a form', 'POST /oauth/revoke': 'silent for clients that are not known',
  'OPTIONS /storage/tus': 'says what uploads can do',
};

/** Routes that are for one of these credentials. */
const MEANT: Record<string, string> = {
  'POST /auth/mfa/challenge': 'a sign-in that waits', 'POST /auth/mfa/challenge/verify': 'a sign-in that waits',
  'GET /storage/file': 'a download token', 'GET /storage/file/': 'a download token', 'GET /storage/file/*': 'a download token',
  'GET /storage/metadata': 'a download token', 'GET /storage/metadata/': 'a download token', 'GET /storage/metadata/*': 'a download token',
};

/** A path that the route answers. */
function pathTo({ path, root }: Route): string {
  return (root ? '' : BASE) + path.replace('/data/*', '/data/posts').replaceAll(/:\w+|\*/g, '1');
}

test('a credential that is no access token opens no route but those that are meant for it', async t => {
  const service = await serveWhole(t);
  await service.account(await tokenFor('u1'));
  const half = Object.entries(await halfCredentials());
  const opened: Record<string, Set<string>> = {};
  let asked = 0;
  for (const route of service.routes.filter(({ method }) => method !== 'ANY')) { // a feature that is off refuses everybody
    const { method } = route;
    for (const [name, token] of half) {
      const from = { 'x-forwarded-for': `10.0.${asked >> 8}.${asked++ & 255}` }; // a limit of an address would answer first
      const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json', ...from };
      const body = method === 'GET' ? undefined : Buffer.from('{}');
      const { status } = await send(service.address, { method, path: pathTo(route), headers, body });
      if (status !== 401) (opened[`${method} ${route.path}`] ??= new Set()).add(name);
    }
  }
  const all = new Set(half.map(([name]) => name));
  const expected = {
    ...Object.fromEntries(Object.keys(PUBLIC).map(route => [route, all])),
    ...Object.fromEntries(Object.entries(MEANT).map(([route, name]) => [route, new Set([name])])),
  };
  t.same(opened, expected);
});
