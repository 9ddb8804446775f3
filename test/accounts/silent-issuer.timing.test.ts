import { test } from 'tap';
import { scaled } from '../harness/until.ts';
import { madeIssuer } from './issuer.ts';
import { OPEN, refusal, serveAccounts } from './people.ts';

test('an issuer that says nothing, or never ends, is OAUTH_ERROR within five seconds', async t => {
  for (const path of ['/.well-known/openid-configuration', '/keys']) for (const head of [false, true]) {
    const issuer = await madeIssuer(t);
    issuer.answers[path] = (_, response) => { if (head) response.writeHead(200, { 'content-type': 'application/json' }).write('{'); };
    const { post } = await serveAccounts(t, { ...OPEN, SERVICE_OIDC_ACME_ISSUER: issuer.url, SERVICE_OIDC_ACME_CLIENT_ID: 'app' });
    const began = Date.now();
    t.same(refusal(await post('/auth/acme', { idToken: await issuer.idToken() })), [401, 'OAUTH_ERROR']);
    t.ok(Date.now() - began < 5_000 + scaled(500), `${path} ${head ? 'silent after the head' : 'silent'}: ${Date.now() - began} ms`);
  }
});
