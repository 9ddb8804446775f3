import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { openBrowser, type Page } from '../harness/browser.ts';
import { ROOT } from '../harness/server.ts';
import { CLIENT, listen, realIssuer } from './issuer.ts';
import { OPEN, serveAccounts } from './people.ts';

const PAGE = readFileSync(join(ROOT, 'examples/sign-in/index.html'));

const state = `document.querySelector('#state')?.textContent`;
const heading = `document.querySelector('h1')?.textContent`;
const button = (text: string) => `[...document.querySelectorAll('main button')].find(({ textContent }) => textContent === '${text}')`;

/** Presses a button by the keyboard. */
async function press(page: Page, text: string): Promise<void> {
  await page.until(`${button(text)}?.checkVisibility() && (${button(text)}.focus(), true)`);
  const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 };
  await page.tell('Input.dispatchKeyEvent', { ...key, type: 'keyDown', text: '\r' });
  await page.tell('Input.dispatchKeyEvent', { ...key, type: 'keyUp' });
}

/** The example page in a browser, an issuer, and a service that knows both. Undefined without a browser. */
async function opened(t: Pick<Test, 'teardown' | 'comment'>) {
  const browser = await openBrowser(t);
  if (browser === undefined) {
    t.comment('There is no Chromium here, and it cannot be installed: not tried.');
    return undefined;
  }
  const { url } = await listen(t, (_, response) => { response.setHeader('content-type', 'text/html').end(PAGE); });
  const origin = url.replace('127.0.0.1', 'localhost'); // an address can have no passkeys
  const issuer = await realIssuer(t, { redirectUri: `${origin}/` });
  issuer.people.set('ada', { email: 'ada@example.org', email_verified: true, name: 'Ada' });
  const service = await serveAccounts(t, {
    ...OPEN, FRONTEND_URL: origin, AUTH_ALLOWED_REDIRECT_URIS: origin, SERVICE_OIDC_ACME_ISSUER: issuer.url,
    SERVICE_OIDC_ACME_CLIENT_ID: CLIENT.id, SERVICE_OIDC_ACME_CLIENT_SECRET: CLIENT.secret,
  });
  const page = await browser.page(480, 720);
  await page.addAuthenticator();
  await page.open(origin);
  // A form that is sent before the script of the page runs goes elsewhere.
  await page.until(`document.readyState === 'complete' && document.querySelector('#service') && (() => {
    document.querySelector('#service').address.value = ${JSON.stringify(`${service.address}/api`)};
    document.querySelector('#service').requestSubmit();
    return true;
  })()`);
  return { ...service, page, origin };
}

/** Signs in at the issuer, and consents. */
async function signInAtIssuer(page: Page): Promise<void> {
  await press(page, 'Continue with acme');
  await page.until(`document.querySelector('[name=login]') && (() => {
    const { login, password } = document.forms[0];
    [login.value, password.value] = ['ada', 'any'];
    document.forms[0].requestSubmit();
    return true;
  })()`);
  await page.until(`document.querySelector('[name=prompt][value=consent]') && (document.forms[0].requestSubmit(), true)`);
}

async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  for (const value of ['light', 'dark']) {
    await page.tell('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
    await page.screenshot(join(folder, `sign-in-${name}-${value}.png`));
  }
}

test('the example page signs in with an issuer, adds a passkey, signs in with it, and removes it', async t => {
  const { page, origin, sql } = await opened(t) ?? {};
  if (page === undefined || sql === undefined) return;
  await page.until(button('Continue with acme'));
  await photograph(page, 'out');
  await signInAtIssuer(page);
  t.equal(await page.until(`${heading} === 'Signed in' && document.querySelector('#address')?.textContent`), 'ada@example.org, by acme');
  t.equal(await page.until('location.href'), `${origin}/`, 'the address bar does not keep the code');
  const begun = page.sent.map(({ url }) => new URL(url)).find(({ pathname }) => pathname === '/auth');
  t.match(Object.fromEntries(begun?.searchParams ?? []), {
    response_type: 'code', scope: 'openid email profile', state: /^[\w-]{43}$/, nonce: /^[\w-]{43}$/, code_challenge: /^[\w-]{43}$/,
    code_challenge_method: 'S256',
  });

  await press(page, 'Add a passkey');
  t.equal(await page.until(state), 'This device has a passkey now.');
  t.equal(await page.until(`document.querySelector('li span')?.textContent`), 'My device, not used yet');
  await photograph(page, 'in');
  await press(page, 'Add a passkey');
  t.match(await page.until(`document.querySelector('.refused')?.textContent`), /registered/, 'one for each device');

  await press(page, 'Sign out');
  await page.until(`${heading} === 'Sign in'`);
  t.same(await sql`select from service.sessions where revoked_at is null`, []);
  await press(page, 'Sign in with a passkey');
  t.equal(await page.until(`${heading} === 'Signed in' && document.querySelector('#address')?.textContent`), 'ada@example.org, by passkey');
  t.match(await page.until(`document.querySelector('li span')?.textContent`), /^My device, used /);
  await press(page, 'Remove');
  t.match(await page.until(state), /^The passkey was removed/);
  await page.until(`document.querySelectorAll('li').length === 0`);
  t.same(await sql`select from service.passkeys`, []);
  await press(page, 'Sign out');
  await page.until(`${heading} === 'Sign in'`);
  await press(page, 'Sign in with a passkey');
  t.match(await page.until(`document.querySelector('.refused')?.textContent`), /INVALID_CREDENTIALS/);
  t.same(page.faults, []);
});

test('the example page says what the issuer refused, and takes no answer that it did not ask for', async t => {
  const { page, origin, sql } = await opened(t) ?? {};
  if (page === undefined || sql === undefined || origin === undefined) return;
  await press(page, 'Continue with acme');
  await page.until(`document.querySelector('.login-help a') && (document.querySelector('.login-help a').click(), true)`);
  t.equal(await page.until(`document.querySelector('.refused')?.textContent`),
    'acme refused: access_denied (End-User aborted interaction)');
  await photograph(page, 'refused');

  // An answer for another person's sign-in, before one began and after.
  for (const begins of [false, true]) {
    if (begins) {
      await press(page, 'Continue with acme');
      await page.until(`document.querySelector('[name=login]')`);
    }
    const before = page.sent.length;
    await page.open(`${origin}/?code=a-stranger's&state=another`);
    t.match(await page.until(`document.querySelector('.refused')?.textContent`), /^This page did not begin that sign-in/);
    const asked = page.sent.slice(before).filter(({ method }) => method === 'POST');
    t.same(asked.map(({ url }) => url), [], 'the service is not asked');
  }
  t.same(await sql`select from service.users`, []);
  t.same(page.faults, []);
});
