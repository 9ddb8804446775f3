// Clients that are known by a document at the URL that is their id.
import type { ServerResponse } from 'node:http';
import { test, type Test } from 'tap';
import { until } from '../harness/until.ts';
import { REDIRECT, requestOf, serveOAuth } from './clients.ts';
import { documentAt, hostDocuments, json } from './document-host.ts';

async function served(t: Test, env: Record<string, string> = {}) {
  const host = await hostDocuments(t);
  const service = await serveOAuth(t, { SERVICE_MCP_CLIENT_HOSTS: host.host, ...env });
  return { host, service, ada: await service.register('ada@example.org') };
}

test('a client with a document is let in, with its host on the page, and needs no registration', async t => {
  const { host, service, ada } = await served(t, { SERVICE_MCP_OPEN_REGISTRATION: 'false' });
  const client = { client_id: `${host.origin}/client.json` };
  const { status, html } = await service.authorize(requestOf(client));
  t.equal(status, 200);
  t.match(html, 'A documented client');
  t.match(html, host.host);
  const tokens = await service.letIn(client, ada);
  t.equal((await service.refresh(client, tokens.refresh_token)).status, 200);
  const { body } = await service.request('/oauth/grants', { as: ada.access });
  t.match(body, { grants: [{ clientId: client.client_id, clientName: 'A documented client' }] });
  const own = `/oauth/grants/${encodeURIComponent(client.client_id)}`;
  t.equal((await service.request(own, { method: 'DELETE', as: ada.access })).status, 200);
});

test('a document is kept as long as its headers say, and no longer than that', async t => {
  const { host, service } = await served(t);
  const cases: [string, Record<string, string>, number][] = [
    ['fresh', { 'cache-control': 'public, max-age=600' }, 1], ['nothing', {}, 2], ['zero', { 'cache-control': 'max-age=0' }, 2],
    ['no-store', { 'cache-control': 'no-store, max-age=600' }, 2], ['gone', { expires: '0' }, 2],
    ['expires', { expires: new Date(Date.now() + 600_000).toUTCString() }, 1],
  ];
  for (const [name, headers, times] of cases) {
    host.answer((response, url) => json(response, documentAt(url), headers));
    const before = host.asked();
    for (let i = 0; i < 2; i++) t.equal((await service.authorize(requestOf({ client_id: `${host.origin}/${name}` }))).status, 200);
    t.equal(host.asked() - before, times, name);
  }
});

test('documents that are not right name no client', async t => {
  const { host, service } = await served(t);
  const wrong: [string, (response: ServerResponse, url: string) => void][] = [
    ['another id', response => json(response, documentAt('https://other.example/client.json'))],
    ['no id', (response, url) => json(response, documentAt(url, { client_id: undefined }))],
    ['a secret method', (response, url) => json(response, documentAt(url, { token_endpoint_auth_method: 'client_secret_post' }))],
    ['no method', (response, url) => json(response, documentAt(url, { token_endpoint_auth_method: undefined }))],
    ['a secret', (response, url) => json(response, documentAt(url, { client_secret: 'x' }))],
    ['no redirects', (response, url) => json(response, documentAt(url, { redirect_uris: [] }))],
    ['a bad redirect', (response, url) => json(response, documentAt(url, { redirect_uris: [REDIRECT, 'javascript:alert(1)'] }))],
    ['another redirect', (response, url) => json(response, documentAt(url, { redirect_uris: ['https://evil.example/cb'] }))],
    ['other grants', (response, url) => json(response, documentAt(url, { grant_types: ['client_credentials'] }))],
    ['a list', response => json(response, [])],
    ['null', response => response.writeHead(200, { 'content-type': 'application/json' }).end('null')],
    ['no JSON', response => response.writeHead(200, { 'content-type': 'application/json' }).end('{')],
    ['another type', (response, url) => response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(documentAt(url)))],
    ['not found', (response, url) => response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(documentAt(url)))],
    ['a redirect', (response, url) => response.writeHead(302, { location: `${url}x` }).end()],
    ['too large', (response, url) => json(response, documentAt(url, { padding: 'x'.repeat(5 * 1024) }))],
    ['endless', response => { response.writeHead(200, { 'content-type': 'application/json' }).write(' '.repeat(100)); }],
    ['closed', response => { response.destroy(); }],
  ];
  for (const [name, answer] of wrong) {
    host.answer(answer);
    const { status, location } = await service.authorize(requestOf({ client_id: `${host.origin}/${encodeURIComponent(name)}` }));
    t.same([status, location], [400, undefined], name);
  }
});

test('ids that are no plain URL of a listed host are not asked for', async t => {
  const { host, service } = await served(t);
  const { origin } = host;
  const ids = [
    origin, `${origin}/`, `${origin}/x#y`, `${origin}/a/../x`, `${origin}/./x`, `http://user@${host.host}/x`, `http://127.0.0.1/x`,
    `http://localhost:${new URL(origin).port}/x`, `${origin.toUpperCase()}/x`, 'https://other.example/x', 'http://169.254.169.254/latest',
    `${origin}/${'x'.repeat(2048)}`, 'https://', 'http:x',
  ];
  for (const client_id of ids) t.equal((await service.authorize(requestOf({ client_id }))).status, 400, client_id.slice(0, 60));
  t.equal(host.asked(), 0);
});

test('without a list no private host is asked, and nothing but https', async t => {
  const host = await hostDocuments(t);
  const service = await serveOAuth(t);
  const { port } = new URL(host.origin);
  for (const base of [host.origin, `https://${host.host}`, `https://localhost:${port}`, `https://[::1]:${port}`]) {
    t.equal((await service.authorize(requestOf({ client_id: `${base}/x` }))).status, 400, base);
  }
  t.equal(host.asked(), 0);
});

test('a document that changes takes its pages with it, and leaves what was let in', async t => {
  const { host, service, ada } = await served(t);
  const client = { client_id: `${host.origin}/client.json` };
  const tokens = await service.letIn(client, ada);
  const request_token = await service.ask(requestOf(client));
  host.answer((response, url) => json(response, documentAt(url, { redirect_uris: ['https://evil.example/cb'] })));
  const { status, location } = await service.decide({ request_token, session_token: ada.access, decision: 'allow' });
  t.same([status, location], [400, undefined]);
  t.equal((await service.refresh(client, tokens.refresh_token)).status, 200);
});

test('a redirect that a document no longer has ends with the copy that is kept, and a consent keeps its name', async t => {
  const { host, service, ada } = await served(t);
  const client = { client_id: `${host.origin}/client.json` };
  host.answer((response, url) => json(response, documentAt(url), { 'cache-control': 'max-age=1' }));
  const tokens = await service.letIn(client, ada);
  const asked = host.asked();
  const [code, request_token] = [await service.codeFor(client, ada), await service.ask(requestOf(client))];
  host.answer((response, url) => json(response, documentAt(url, {
    client_name: 'Your bank', redirect_uris: ['https://evil.example/cb'],
  }), { 'cache-control': 'max-age=1' }));
  await until('the copy is over', async () => (await service.authorize(requestOf(client))).status === 400);
  t.equal(host.asked() > asked, true);
  const { status, location } = await service.decide({ request_token, session_token: ada.access, decision: 'allow' });
  t.same([status, location], [400, undefined], 'a page that was open');
  const { html } = await service.authorize({ ...requestOf(client), redirect_uri: 'https://evil.example/cb' });
  t.match(html, 'Your bank', 'the new one is asked for anew, under the new name');
  // Neither a refresh token nor a code that its client holds travels by a redirect any more.
  t.equal((await service.redeem(client, code)).status, 200, 'a code that is on its way');
  t.equal((await service.refresh(client, tokens.refresh_token)).status, 200);
  const nameInGrants = async () => (await service.request('/oauth/grants', { as: ada.access })).body.grants[0].clientName as string;
  t.equal(await nameInGrants(), 'A documented client');
  const moved = await service.codeFor(client, ada, { redirect_uri: 'https://evil.example/cb' });
  t.equal((await service.redeem(client, moved)).body.error, 'invalid_grant', 'a code of another redirect');
  t.equal(await nameInGrants(), 'Your bank', 'once she has let that one in');
});

test('documents whose bytes never end are given up', async t => {
  const { host, service } = await served(t);
  let left = false;
  host.answer(response => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => { if (response.write(' '.repeat(1024))) setImmediate(more); };
    response.on('drain', more).on('close', () => { left = true; });
    more();
  });
  t.equal((await service.authorize(requestOf({ client_id: `${host.origin}/x` }))).status, 400);
  await until('the connection is closed', () => left);
});

test('a document that redirects inside is not followed', async t => {
  const { host, service } = await served(t);
  const inside = await hostDocuments(t);
  for (const status of [301, 302, 303, 307, 308]) {
    host.answer(response => response.writeHead(status, { location: `${inside.origin}/client.json` }).end());
    t.equal((await service.authorize(requestOf({ client_id: `${host.origin}/${status}` }))).status, 400);
  }
  t.equal(inside.asked(), 0);
});
