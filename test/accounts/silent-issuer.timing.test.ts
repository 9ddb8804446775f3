import type { RequestListener } from 'node:http';
import { test } from 'tap';
import { scaled } from '../harness/until.ts';
import { CLIENT, madeIssuer } from './issuer.ts';
import { OPEN, refusal, serveAccounts } from './people.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SLOW: Record<string, RequestListener> = {
  'silent': () => undefined,
  'silent after the head': (_, response) => { response.writeHead(200, JSON_TYPE).write('{'); },
  'endless': (_, response) => {
    response.writeHead(200, JSON_TYPE).write('{');
    const more = setInterval(() => response.write(' '), 50);
    response.on('close', () => { clearInterval(more); });
  },
};

test('an issuer that says nothing, or never ends, is OAUTH_ERROR within five seconds', async t => {
  for (const path of ['/.well-known/openid-configuration', '/keys', '/token', '/me']) {
    await Promise.all(Object.entries(SLOW).map(async ([says, answer]) => {
      const issuer = await madeIssuer(t);
      issuer.answers['/.well-known/openid-configuration'] = issuer.json({ ...issuer.metadata, userinfo_endpoint: `${issuer.url}/me` });
      const idToken = await issuer.idToken({ claims: { email: undefined } });
      issuer.answers['/token'] = issuer.json({ access_token: 'x', token_type: 'Bearer', id_token: idToken });
      issuer.answers[path] = answer;
      const { post } = await serveAccounts(t, { ...OPEN, SERVICE_OIDC_ACME_ISSUER: issuer.url, SERVICE_OIDC_ACME_CLIENT_ID: CLIENT.id });
      const began = Date.now();
      t.same(refusal(await post('/auth/acme', { code: 'x', redirectUri: CLIENT.redirectUri })), [401, 'OAUTH_ERROR'], `${path} ${says}`);
      t.ok(Date.now() - began < 5_000 + scaled(500), `${path} ${says}: ${Date.now() - began} ms`);
      t.ok(issuer.asked.includes(path));
    }));
  }
});
