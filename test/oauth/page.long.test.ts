// The consent page in a browser, on a phone's width, by keyboard alone.
import { test, type Test } from 'tap';
import { codeOf, laterOn, withSecondFactor } from '../accounts/authenticator.ts';
import { CLIENT, listen, realIssuer } from '../accounts/issuer.ts';
import { code } from '../accounts/mails.ts';
import { openBrowser, type Page } from '../harness/browser.ts';
import { SECRET, startProvider } from '../captcha/provider.ts';
import { at, ownOrigin, photograph, press, READY, serveConsent, signIn, WRONG } from './consent.ts';

const COOKIE = { AUTH_COOKIE: 'true', AUTH_COOKIE_SECURE: 'false' };
const FITS = `document.documentElement.scrollWidth <= innerWidth`;
/** Fields and buttons that a thumb would miss: less than 44 pixels high (WCAG 2.5.5). */
const SMALL = `[...document.querySelectorAll('button, input:not([type=hidden])')]
  .filter(element => element.offsetParent && element.getBoundingClientRect().height < 44)
  .map(({ textContent, name }) => textContent || name)`;

test('a person signs in with two factors and lets a client in, then denies one with a session that is there', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const service = await serveConsent(t, await ownOrigin(), COOKIE);
  const { secret } = await withSecondFactor(service, 'ada@example.org');
  const named = await service.registerClient({ redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Notes <b>agent</b>' });
  const page = await browser.page(360, 740);
  const url = new URL(service.url);
  url.searchParams.set('client_id', named.client_id);
  await page.open(url.href);
  await signIn(page, 'ada@example.org');
  await page.until(at('code'));
  await page.type('000000');
  await page.press('Enter');
  await page.until(WRONG);
  await photograph(page, 'code');
  t.match(await page.until(`document.querySelector('h1').textContent`), 'Notes <b>agent</b>');
  await laterOn(service);
  await page.until(`(document.querySelector('[name=code]').value = '', document.querySelector('[name=code]').focus(), true)`);
  await page.type(codeOf(secret));
  await page.press('Enter');
  await page.until(READY);
  t.same(await page.until(`${FITS} && ${SMALL}`), [], 'nothing stands outside a phone or is too small for a thumb');
  await photograph(page, 'ready');
  await page.press('Enter');
  const given = await service.answer();
  t.equal(given.get('iss'), service.origin);
  const redeemed = await service.redeem(named, given.get('code') ?? '', { redirect_uri: service.redirect, resource: undefined });
  t.match([redeemed.status, redeemed.body], [200, { scope: 'data:read data:write' }]);

  await page.open(service.url);
  await page.until(`${READY} && document.getElementById('sign-in')?.hidden`);
  await page.press('Tab');
  await page.press('Enter');
  t.equal((await service.answer()).get('error'), 'access_denied');
  t.same(page.faults, []);
});

test('an account without a password gets in by a mailed code', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const service = await serveConsent(t, await ownOrigin());
  const ada = await service.register('ada@example.org');
  await service.sql`update service.users set password_hash = null where uid = ${ada.uid}`;
  const page = await browser.page(360, 740);
  await page.open(service.url);
  await page.until(at('email'));
  await page.type('ada@example.org');
  await press(page, 'Mail me a code');
  await page.until(at('code'));
  await page.type(await code(service, 'ada@example.org'));
  await page.press('Enter');
  await page.until(READY);
  await page.press('Enter');
  t.equal(await service.redeemed(await service.answer()), 200);
  t.same(page.faults, []);
});

/** An issuer that knows Ada, and the settings of a service that she signs in to with it. */
async function withIssuer(t: Parameters<typeof realIssuer>[0], origin: string) {
  const issuer = await realIssuer(t, { redirectUri: `${origin}/api/oauth/authorize/callback` });
  issuer.people.set('ada', { email: 'ada@example.org', email_verified: true, name: 'Ada' });
  return {
    // The page of the service itself needs no entry.
    AUTH_ALLOWED_REDIRECT_URIS: 'https://app.example.com/back', SERVICE_OIDC_ACME_ISSUER: issuer.url,
    SERVICE_OIDC_ACME_CLIENT_ID: CLIENT.id, SERVICE_OIDC_ACME_CLIENT_SECRET: CLIENT.secret,
  };
}

/** Signs in at the issuer, and consents. */
async function signInAtIssuer(page: Page): Promise<void> {
  await page.until(`document.querySelector('[name=login]') && (() => {
    const { login, password } = document.forms[0];
    [login.value, password.value] = ['ada', 'any'];
    document.forms[0].requestSubmit();
    return true;
  })()`);
  await page.until(`document.querySelector('[name=prompt][value=consent]') && (document.forms[0].requestSubmit(), true)`);
}

/** The page, on a phone, with a provider. */
async function openedOnPhone(t: Test) {
  const browser = await openBrowser(t);
  if (browser === undefined) return undefined;
  const place = await ownOrigin();
  const service = await serveConsent(t, place, await withIssuer(t, place.origin));
  const page = await browser.page(360, 740);
  await page.open(service.url);
  await page.until(at('email'));
  return { place, service, page };
}

for (const [mode, env] of Object.entries({ body: {}, cookie: COOKIE })) {
  test(`a person signs in at a provider, comes back to the request, and lets the client in: tokens in the ${mode}`, async t => {
    const browser = await openBrowser(t);
    if (browser === undefined) return t.comment('There is no browser.');
    const place = await ownOrigin();
    const service = await serveConsent(t, place, { ...env, ...await withIssuer(t, place.origin) });
    await service.register('first@example.org'); // who would be the admin
    const page = await browser.page(360, 740);
    await page.open(service.url);
    await page.until(at('email'));
    const first = await page.until(`document.querySelector('[name=request_token]').value`);
    await press(page, 'Continue with Acme');
    await signInAtIssuer(page);
    await page.until(READY);
    t.equal(await page.until('location.href'), service.url, 'at the request that was left');
    t.not(await page.until(`document.querySelector('[name=request_token]').value`), first);
    t.equal(await page.until(`document.getElementById('person').textContent`), 'Signed in as ada@example.org.');
    t.equal(await page.until('sessionStorage.length === 0'), true);
    await page.press('Enter');
    const answer = await service.answer();
    t.equal(answer.get('iss'), service.origin);
    t.equal(await service.redeemed(answer), 200);
    t.same(page.faults, []);
  });
}

test('a person who comes back from a provider is asked for the second factor of the account', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const place = await ownOrigin();
  const service = await serveConsent(t, place, await withIssuer(t, place.origin));
  const { uid, secret } = await withSecondFactor(service, 'ada@example.org');
  // A provider that proves the address takes away all that is unproven.
  await service.sql`update service.users set email_verified = true, password_proven = true where uid = ${uid}`;
  await service.sql`update service.mfa_factors set is_proven = true where uid = ${uid}`;
  await service.sql`insert into service.user_identities (uid, provider, provider_id, is_proven) values (${uid}, 'acme', 'ada', true)`;
  const page = await browser.page(360, 740);
  await page.open(service.url);
  await page.until(at('email'));
  await press(page, 'Continue with Acme');
  await signInAtIssuer(page);
  await page.until(at('code'));
  t.equal(await page.until(`document.querySelector('[value=allow]').disabled`), true, 'the provider alone is not enough');
  await page.type(codeOf(secret));
  await page.press('Enter');
  await page.until(READY);
  await page.press('Enter');
  t.equal(await service.redeemed(await service.answer()), 200);
  t.same(page.faults, []);
});

test('a provider that refuses is told of on the page, and an answer that this tab did not ask for signs no one in', async t => {
  const opened = await openedOnPhone(t);
  if (opened === undefined) return t.comment('There is no browser.');
  const { place, service, page } = opened;
  await press(page, 'Continue with Acme');
  await page.until(`document.querySelector('.login-help a') && (document.querySelector('.login-help a').click(), true)`);
  t.equal(await page.until(WRONG), 'Acme did not sign you in: End-User aborted interaction.');
  t.equal(await page.until('location.href'), service.url);
  await page.until(at('email'));
  await photograph(page, 'refused');

  for (const begins of [false, true]) {
    if (begins) {
      await page.open(service.url);
      await page.until(at('email'));
      await press(page, 'Continue with Acme');
      await page.until(`document.querySelector('[name=login]')`);
    }
    const before = page.sent.length;
    await page.open(`${place.origin}/api/oauth/authorize/callback?code=a-stranger's&state=another`);
    t.match(await page.until(WRONG), /^This page did not begin that sign-in/);
    await page.open(service.url);
    await page.until(at('email'));
    t.same(page.sent.slice(before).filter(({ method }) => method === 'POST').map(({ url }) => url), [], 'the service is not asked');
  }
  t.equal(service.isAnswered(), false, 'the client hears nothing');
  t.same(await service.sql`select from service.users`, []);
  t.same(page.faults, []);
});

test('an answer for one request signs in to no other', async t => {
  const opened = await openedOnPhone(t);
  if (opened === undefined) return t.comment('There is no browser.');
  const { service, page } = opened;
  const kept = { name: 'acme', state: 's', proof: {}, query: '?another', answer: { code: 'x', state: 's' } };
  await page.until(`(sessionStorage.setItem('/api/oauth/authorize', ${JSON.stringify(JSON.stringify(kept))}), true)`);
  const before = page.sent.length;
  await page.open(service.url);
  await page.until(`${at('email')} && sessionStorage.length === 0`);
  t.same(page.sent.slice(before).filter(({ method }) => method === 'POST'), []);
});

test('Apple\'s answer, which is posted, is taken as any other', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const place = await ownOrigin();
  const service = await serveConsent(t, place);
  // The page of the provider: it posts the answer, with what Apple tells the first time.
  const { url: provider } = await listen(t, (_, response) => {
    const callback = `${place.origin}/api/oauth/authorize/callback`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<form method="post" action="${callback}">
      <input name="code" value="c-1"><input name="state"><input name="user" value='{"name":{"firstName":"Ada"}}'></form>
      <script>const asked = new URLSearchParams(location.search);
      document.forms[0].state.value = asked.get('state');
      if (asked.get('response_mode') === 'form_post') document.forms[0].submit();</script>`);
  });
  const page = await browser.page(360, 740);
  await page.tell('Fetch.enable', { patterns: [{ urlPattern: '*/auth/config' }, { urlPattern: '*/auth/apple' }] });
  const offers = [{ name: 'apple', clientId: 'app', authorizationUrl: `${provider}/auth`, scopes: ['name', 'email'] }];
  const { body: config } = await service.request('/auth/config', { as: null });
  const bodies: Record<string, object> = {
    'config': { ...config, providers: offers, enabledProviders: ['apple'] },
    'apple': { error: { message: 'Not this one.', code: 'OAUTH_ERROR' } },
  };
  page.listen('Fetch.requestPaused', ({ requestId, request }) => {
    const name = new URL(request.url as string).pathname.split('/').at(-1) ?? '';
    const body = Buffer.from(JSON.stringify(bodies[name])).toString('base64');
    void page.tell('Fetch.fulfillRequest', {
      requestId, responseCode: name === 'apple' ? 401 : 200, responseHeaders: [{ name: 'content-type', value: 'application/json' }], body,
    });
  });
  await page.open(service.url);
  await page.until(at('email'));
  await press(page, 'Continue with Apple');
  t.equal(await page.until(WRONG), 'Not this one.');
  const { postData } = page.sent.find(({ url }) => url.endsWith('/auth/apple')) ?? {};
  t.match(JSON.parse(postData ?? '{}'), {
    code: 'c-1', codeVerifier: /^[\w-]{43}$/, nonce: /^[\w-]{43}$/, redirectUri: `${place.origin}/api/oauth/authorize/callback`,
    user: { name: { firstName: 'Ada' } },
  });
  t.same(page.faults, []);
});

test('a passkey of the domain signs in', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const service = await serveConsent(t, await ownOrigin(), { FRONTEND_URL: 'http://localhost:3000' });
  const ada = await service.register('ada@example.org');
  const page = await browser.page(360, 740);
  await page.addAuthenticator();
  await page.open(service.url);
  await page.until(at('email'));
  await page.until(`(window.added = (async () => {
    const post = async (path, body = {}) => (await fetch('/api' + path, {
      method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer ${ada.access}' }, body: JSON.stringify(body),
    })).json();
    const { options } = await post('/auth/passkeys/options');
    const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
    window.passkey = (await post('/auth/passkeys', { credential: credential.toJSON() })).passkey;
  })(), true)`);
  await page.until('window.passkey');
  await service.sql`update service.users set password_hash = null where uid = ${ada.uid}`;
  await press(page, 'Use a passkey');
  await page.until(READY);
  await page.press('Enter');
  t.equal(await service.redeemed(await service.answer()), 200);
  t.same(page.faults, []);
});

test('passkeys are not offered on a page of another domain', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const service = await serveConsent(t, await ownOrigin(), { FRONTEND_URL: 'https://app.example.com' });
  const page = await browser.page(360, 740);
  await page.open(service.url);
  await page.until(`${at('email')} && document.getElementById('send-code').hidden === false`);
  t.equal(await page.until(`document.getElementById('use-passkey').hidden`), true);
});

test('the page is not shown in a frame', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const service = await serveConsent(t, await ownOrigin());
  const { url } = await listen(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<iframe src="${service.url.replaceAll('&', '&amp;')}"></iframe>`);
  });
  for (const from of [url, url.replace('127.0.0.1', 'localhost')]) {
    const page = await browser.page(360, 740);
    await page.open(from);
    await page.until(`document.readyState === 'complete' && document.querySelector('iframe')`);
    await page.until(`(() => { try { return document.querySelector('iframe').contentDocument === null; } catch { return true; } })()`);
    t.match(page.faults, [/frame/i], 'the browser says that it refused');
  }
});

test('a captcha is shown when a way in asks for one, and nothing of its vendor before', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const { url: CAPTCHA_VERIFY_URL, asked } = await startProvider(t);
  for (const [provider, host] of [['turnstile', 'https://challenges.cloudflare.com'], ['hcaptcha', 'https://js.hcaptcha.com']] as const) {
    const service = await serveConsent(t, await ownOrigin(), {
      CAPTCHA_PROVIDER: provider, CAPTCHA_SECRET: SECRET, CAPTCHA_SITE_KEY: 'of the widget',
      CAPTCHA_ROUTES: 'login,emailOtp', CAPTCHA_VERIFY_URL,
    });
    const page = await browser.page(360, 740);
    // Stands in for the vendor's script: a button that solves it.
    const script = `const render = (place, { sitekey, callback }) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = 'Solve ' + sitekey;
      button.addEventListener('click', () => callback('good'));
      place.append(button);
    };
    globalThis.${provider} = { render };
    globalThis[new URL(document.currentScript.src).searchParams.get('onload')]();`;
    await page.tell('Fetch.enable', { patterns: [{ urlPattern: `${host}/*` }] });
    page.listen('Fetch.requestPaused', ({ requestId }) => void page.tell('Fetch.fulfillRequest', {
      requestId, responseCode: 200, responseHeaders: [{ name: 'content-type', value: 'text/javascript' }],
      body: Buffer.from(script).toString('base64'),
    }));
    await page.open(service.url);
    await page.until(at('email'));
    t.notOk(page.sent.some(({ url }) => url.startsWith(host)), 'the vendor is not asked before');
    await page.type('ada@example.org');
    await press(page, 'Mail me a code');
    await press(page, 'Solve of the widget');
    await page.until(at('code'));
    await press(page, 'Back');
    await page.until(`(document.querySelector('[name=email]').value = '', true)`);
    await signIn(page, 'none@example.org');
    await press(page, 'Solve of the widget');
    t.equal(await page.until(WRONG), 'The address or the password is wrong.');
    t.same(page.faults, []);
  }
  t.same(asked.map(({ form }) => form['response']), ['good', 'good', 'good', 'good']);
});
