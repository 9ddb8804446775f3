// The consent page in a browser, on a phone's width, by keyboard alone.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type Test } from 'tap';
import { codeOf, laterOn, withSecondFactor } from '../accounts/authenticator.ts';
import { code } from '../accounts/mails.ts';
import { PASSWORD } from '../accounts/people.ts';
import { openBrowser, type Page } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { requestOf, serveOAuth } from './clients.ts';

/** A program on the loopback that waits for its code. */
async function waiting(t: Test): Promise<{ redirect: string; answer: () => Promise<URLSearchParams> }> {
  let last: URL | undefined;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/cb')) last = new URL(request.url, 'http://127.0.0.1');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Back</title>You may close this page.');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  return {
    redirect: `http://127.0.0.1:${(server.address() as AddressInfo).port}/cb`,
    async answer() {
      const { searchParams } = await until('the browser is sent back', () => Promise.resolve(last));
      last = undefined;
      return searchParams;
    },
  };
}

const READY = `document.querySelector('[value=allow]')?.disabled === false && document.activeElement?.value === 'allow'`;
const at = (name: string) => `document.activeElement?.name === '${name}'`;

async function signIn(page: Page, email: string): Promise<void> {
  await page.until(at('email'));
  await page.type(email);
  await page.press('Tab');
  await page.until(at('password'));
  await page.type(PASSWORD);
  await page.press('Enter');
}

test('a person signs in with two factors and lets a client in, then denies one with a session that is there', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const service = await serveOAuth(t, { AUTH_COOKIE: 'true', AUTH_COOKIE_SECURE: 'false' });
  const { secret } = await withSecondFactor(service, 'ada@example.org');
  const { redirect, answer } = await waiting(t);
  const client = await service.registerClient({ redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Notes <b>agent</b>' });
  const url = `${service.address}/api/oauth/authorize?${new URLSearchParams({ ...requestOf(client), redirect_uri: redirect }).toString()}`;
  const page = await browser.page(360, 740);
  await page.open(url);
  await signIn(page, 'ada@example.org');
  await page.until(at('code'));
  await page.type('000000');
  await page.press('Enter');
  await page.until(`!document.getElementById('wrong').hidden`);
  t.equal(await page.until(`document.documentElement.scrollWidth <= 360`), true, 'nothing stands outside a phone');
  t.match(await page.until(`document.querySelector('h1').textContent`), 'Notes <b>agent</b>');
  await laterOn(service);
  await page.until(`(document.querySelector('[name=code]').value = '', document.querySelector('[name=code]').focus(), true)`);
  await page.type(codeOf(secret));
  await page.press('Enter');
  await page.until(READY);
  await page.press('Enter');
  const given = (await answer()).get('code') ?? '';
  const { status, body, text } = await service.redeem(client, given, { redirect_uri: redirect });
  t.equal(status, 200, text);
  t.equal(body.scope, 'data:read data:write');

  await page.open(url);
  await page.until(`${READY} && document.getElementById('sign-in')?.hidden`);
  await page.press('Tab');
  await page.press('Enter');
  t.equal((await answer()).get('error'), 'access_denied');
  t.same(page.faults, []);
});

test('an account without a password gets in by a mailed code', async t => {
  const browser = await openBrowser(t);
  if (browser === undefined) return t.comment('There is no browser.');
  const service = await serveOAuth(t);
  const ada = await service.register('ada@example.org');
  await service.sql`update service.users set password_hash = null where uid = ${ada.uid}`;
  const { redirect, answer } = await waiting(t);
  const client = await service.registerClient({ redirect_uris: ['http://127.0.0.1/cb'] });
  const page = await browser.page(360, 740);
  const query = new URLSearchParams({ ...requestOf(client), redirect_uri: redirect }).toString();
  await page.open(`${service.address}/api/oauth/authorize?${query}`);
  await page.until(`${at('email')} && document.getElementById('send-code')?.hidden === false`);
  await page.type('ada@example.org');
  for (const name of ['password', '', 'send-code']) {
    await page.press('Tab');
    await page.until(name === 'send-code' ? `document.activeElement.id === 'send-code'` : at(name));
  }
  await page.press('Enter');
  await page.until(at('code'));
  const digits = await code(service, 'ada@example.org');
  await page.type(digits);
  await page.press('Enter');
  await page.until(READY);
  await page.press('Enter');
  t.equal((await service.redeem(client, (await answer()).get('code') ?? '', { redirect_uri: redirect })).status, 200);
  t.same(page.faults, []);
});
