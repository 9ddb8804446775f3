// Sessions of pages, in Chromium and Firefox: in one of them at random, and in both by npm run proof.
import { test, type Test } from 'tap';
import { CLIENT, realIssuer } from '../../accounts/issuer.ts';
import { OPEN, serveAccounts, type Accounts } from '../../accounts/people.ts';
import type { AnyPage } from '../../harness/browser.ts';
import { some } from '../../harness/effort.ts';
import { ADA } from './people.ts';
import { begin, BROWSERS, result, servePage, tab } from './page.ts';

const ada = JSON.stringify(ADA);

/** Keeps what the callback is told. */
const script = (url: string, storage: string) => `
  window.auth = client.createAuth({ url: ${JSON.stringify(url)}, storage: client.${storage} });
  window.told = [];
  auth.onChange(async session => {
    told.push([session?.user.email ?? null, await auth.me().then(({ uid }) => uid, ({ code }) => code)]);
  });`;

for (const [name, open] of some(BROWSERS)) {
  for (const [storage, env] of [
    ['local()', {}], ['cookie()', { AUTH_COOKIE: 'true', AUTH_COOKIE_SECURE: 'false' }],
  ] as const) {
    test(`two tabs tell each other of sign-in and sign-out, a reload keeps the session: ${storage}, ${name}`, async t => {
      const browser = await open(t);
      if (browser === undefined) return;
      const { address, sql } = await serveAccounts(t, { ...OPEN, ...env });
      const origin = await servePage(t);
      const start = script(address, storage);
      const first = await tab(browser, origin, start);
      const second = await tab(browser, origin, start);
      t.equal(await result(first, 'auth.session().then(session => session === undefined)'), true);
      t.equal(await result(second, 'auth.session().then(session => session === undefined)'), true);
      const { uid } = (await result<{ user: { uid: string } }>(first, `auth.register(${ada})`)).user;
      t.same(await second.until('told.length > 0 && told[0]'), [ADA.email, uid], 'and its callback sends a request that is answered');
      const readable = await result<string>(first, 'document.cookie + JSON.stringify(localStorage)');
      t.equal(readable.includes('refreshToken'), storage === 'local()', 'whether a script can read the refresh token');

      await second.reload();
      await begin(second, start);
      t.match(await result(second, 'auth.session()'), { user: { uid } });
      t.match(await result(second, 'auth.refresh()'), { user: { uid } });
      t.match(await result(first, 'auth.me()'), { uid });

      await result(second, 'auth.signOut()');
      t.same(await first.until('told.at(-1)?.[0] === null && told.at(-1)'), [null, 'UNAUTHORIZED']);
      t.same(await sql`select from service.sessions where revoked_at is null`, []);
      await second.reload();
      await begin(second, start);
      t.equal(await result(second, 'auth.session().then(session => session === undefined)'), true);
      t.same([...first.faults, ...second.faults], []);
    });
  }

  test(`a localStorage that throws leaves the session in memory: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address } = await serveAccounts(t);
    const page = await tab(browser, await servePage(t), `
      Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); };
      ${script(address, 'local()')}`);
    await result(page, `auth.register(${ada})`);
    t.match(await result(page, 'auth.me()'), { email: ADA.email });
    const denied = `{ get() { throw new DOMException('denied', 'SecurityError'); } }`;
    await result(page, `(Object.defineProperty(window, 'localStorage', ${denied}), 1)`);
    t.match(await result(page, 'auth.me()'), { email: ADA.email });
    await result(page, 'auth.signOut()');
    t.equal(await result(page, 'auth.session().then(session => session === undefined)'), true);
    t.same(page.faults, []);
  });

  test(`a provider signs in by a redirect with PKCE: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, origin } = await serveProvider(t);
    const start = script(address, 'local()');
    const page = await tab(browser, origin, start);
    t.match(await result(page, `client.signInWith(auth, 'nowhere')`), { failed: 'INVALID_INPUT' });
    await result(page, `(void client.signInWith(auth, 'acme'), true)`);
    await atIssuer(page, 'ada');
    await begin(page, start);
    t.match(await result(page, 'client.finishSignIn(auth)'), { user: { email: ADA.email, providerId: 'acme' } });
    t.equal(await page.until('location.href'), `${origin}/`, 'the address bar does not keep the code');
    const begun = page.sent.map(({ url }) => new URL(url)).find(({ pathname }) => pathname === '/auth');
    t.match(Object.fromEntries(begun?.searchParams ?? []), {
      response_type: 'code', state: /^[\w-]{43}$/, nonce: /^[\w-]{43}$/, code_challenge: /^[\w-]{43}$/, code_challenge_method: 'S256',
    });
    t.equal(await result(page, 'client.finishSignIn(auth).then(session => session === undefined)'), true, 'nothing came back this time');

    await page.open(`${origin}/?code=a-stranger's&state=another`);
    await begin(page, start);
    const finished = 'client.finishSignIn(auth).then(session => session === undefined)';
    t.equal(await result(page, finished), true, 'nothing was begun');
    t.equal(await page.until('location.search'), '?code=a-stranger%27s&state=another', 'and the address is the page\'s own');

    const keep = (begun: object) => result(page, `Promise.resolve(void history.replaceState({ of: 'router' }, ''),
      void sessionStorage.setItem('rowgate.provider ' + auth.base, '${JSON.stringify(begun)}'))`);
    await page.open(`${origin}/?code=SPRING`);
    await begin(page, start);
    await keep({ name: 'acme', state: 'own' });
    t.equal(await result(page, finished), true, 'nor was this one asked for');
    t.equal(await page.until('location.search'), '?code=SPRING');

    const place = '/?page=2&q=a%20b&code=SPRING&state=another&iss=there&error_description=none#below';
    await page.open(`${origin}${place}`);
    await begin(page, start);
    await keep({ name: 'acme', state: 'own' });
    t.equal(await result(page, finished.replace('(auth)', `({ ...auth, base: '' })`)), true, 'of another service nothing was begun');
    t.match(await result(page, 'client.finishSignIn(auth)'), { failed: 'OAUTH_ERROR' }, 'an answer to another one');
    t.equal(await page.until('location.href'), `${origin}/?page=2&q=a%20b#below`);
    t.equal(await page.until('history.state.of'), 'router');
    t.equal(await page.until(`sessionStorage.getItem('rowgate.provider ' + auth.base) ?? 'nothing'`), 'nothing');
    t.match(await result(page, 'client.listIdentities(auth)'), [{ provider: 'acme', email: ADA.email }]);
    t.same(page.faults, []);
  });

  test(`a provider is added to the account that is signed in: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { address, origin } = await serveProvider(t);
    const start = script(address, 'local()');
    const page = await tab(browser, origin, start);
    const { uid } = (await result<{ user: { uid: string } }>(page, `auth.register({ ...${ada}, email: 'work@example.org' })`)).user;
    await result(page, `(void client.linkWith(auth, 'acme'), true)`);
    await atIssuer(page, 'ada');
    await begin(page, start);
    t.match(await result(page, 'client.finishSignIn(auth)'), { user: { uid, email: 'work@example.org' } });
    t.match(await result(page, 'client.listIdentities(auth)'), [{ provider: 'acme', email: ADA.email }]);
    t.same(page.faults, []);
  });

  test(`a passkey is added and signs in: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const origin = await localhost(t);
    const { address, sql } = await serveAccounts(t, { ...OPEN, FRONTEND_URL: origin });
    const page = await tab(browser, origin, script(address, 'local()'));
    await page.addAuthenticator();
    await result(page, `auth.register(${ada})`);
    t.match(await result(page, `client.addPasskey(auth, { friendlyName: 'Phone' })`), { friendlyName: 'Phone' });
    const id = (await result<{ id: string }[]>(page, 'client.listPasskeys(auth)'))[0]?.id ?? '';
    t.match(await result(page, `client.renamePasskey(auth, '${id}', 'Desk')`), { friendlyName: 'Desk' });
    await result(page, 'auth.signOut()');
    t.match(await result(page, 'client.signInWithPasskey(auth)'), { user: { email: ADA.email, providerId: 'passkey' } });
    await result(page, `client.removePasskey(auth, '${id}')`);
    t.same(await sql`select from service.passkeys`, []);
    t.same(page.faults, []);
  });
}

/** The page at a name: an address can have no passkeys. */
async function localhost(t: Pick<Test, 'teardown'>): Promise<string> {
  return (await servePage(t)).replace('127.0.0.1', 'localhost');
}

/** A service with an issuer that knows Ada. */
async function serveProvider(t: Pick<Test, 'teardown'>): Promise<Accounts & { origin: string }> {
  const origin = await localhost(t);
  const issuer = await realIssuer(t, { redirectUri: `${origin}/` });
  issuer.people.set('ada', { email: ADA.email, email_verified: true, name: 'Ada' });
  const accounts = await serveAccounts(t, {
    ...OPEN, FRONTEND_URL: origin, AUTH_ALLOWED_REDIRECT_URIS: origin, SERVICE_OIDC_ACME_ISSUER: issuer.url,
    SERVICE_OIDC_ACME_CLIENT_ID: CLIENT.id, SERVICE_OIDC_ACME_CLIENT_SECRET: CLIENT.secret,
  });
  return { ...accounts, origin };
}

/** Signs in at the page of the issuer, and consents. */
async function atIssuer(page: AnyPage, login: string): Promise<void> {
  await page.until(`document.querySelector('[name=login]') && (() => {
    const form = document.forms[0];
    [form.login.value, form.password.value] = ['${login}', 'any'];
    form.requestSubmit();
    return true;
  })()`);
  await page.until(`document.querySelector('[name=prompt][value=consent]') && (document.forms[0].requestSubmit(), true)`);
}
