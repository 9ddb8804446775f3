/** The consent page in a browser. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { PASSWORD } from '../accounts/people.ts';
import type { Page } from '../harness/browser.ts';
import { until } from '../harness/until.ts';
import { requestOf, serveOAuth, type OAuthService, type Registered } from './clients.ts';

export type Waiting = { redirect: string; answer: () => Promise<URLSearchParams>; isAnswered: () => boolean };
export type Consent = OAuthService & Waiting & {
  origin: string; client: Registered;
  /** The page that asks for this client. */
  url: string;
  /** Redeems the code of an answer. */
  redeemed: (answer: URLSearchParams) => Promise<number>;
};

type Place = { origin: string; env: Record<string, string> };

/** A program on the loopback that waits for its code. */
export async function waiting(t: Pick<Test, 'teardown'>): Promise<Waiting> {
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
    isAnswered: () => last !== undefined,
  };
}

/** A place for a service whose public address is its own: `localhost`, since an address can have no passkeys. */
export async function ownOrigin(): Promise<Place> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  return { origin, env: { PORT: String(port), SERVICE_PUBLIC_URL: origin } };
}

/** A service there, with a client that a program on the loopback is. */
export async function serveConsent(t: Pick<Test, 'teardown'>, place: Place, env: Record<string, string> = {}) {
  const service = await serveOAuth(t, { ...place.env, ...env });
  const program = await waiting(t);
  const client = await service.registerClient({ redirect_uris: ['http://127.0.0.1/cb'], client_name: 'Notes' });
  const query = { ...requestOf(client), redirect_uri: program.redirect, resource: `${place.origin}/mcp` };
  return {
    ...service, ...program, client, origin: place.origin,
    url: `${place.origin}/api/oauth/authorize?${new URLSearchParams(query).toString()}`,
    async redeemed(answer: URLSearchParams) {
      const { resource, redirect_uri } = query;
      return (await service.redeem(client, answer.get('code') ?? '', { redirect_uri, resource })).status;
    },
  } satisfies Consent;
}

export const READY = `document.querySelector('[value=allow]')?.disabled === false && document.activeElement?.value === 'allow'`;
export const WRONG = `document.getElementById('wrong')?.hidden === false && document.getElementById('wrong').textContent`;
export const at = (name: string) => `document.activeElement?.name === '${name}'`;

export async function signIn(page: Page, email: string): Promise<void> {
  await page.until(at('email'));
  await page.type(email);
  await page.press('Tab');
  await page.until(at('password'));
  await page.type(PASSWORD);
  await page.press('Enter');
}

/** Goes on with Tab until this button has the focus, and presses it. */
export async function press(page: Page, text: string): Promise<void> {
  const has = `document.activeElement?.textContent === '${text}'`;
  await page.until(`[...document.querySelectorAll('button')].some(button => button.textContent === '${text}' && button.offsetParent)`);
  for (let i = 0; i < 20 && await page.until(`${has} ? 'there' : 'elsewhere'`) !== 'there'; i++) await page.press('Tab');
  await page.until(has);
  await page.press('Enter');
}

/** Pictures to look at, in both colours, where SCREENSHOTS names a folder for them. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  for (const value of ['light', 'dark']) {
    await page.tell('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
    await page.screenshot(join(folder, `consent-${name}-${value}.png`));
  }
}
