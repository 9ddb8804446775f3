import { test } from 'tap';
import { get, productionEnv, serve } from './serve.ts';

const routes = [get('/x', () => ({ body: '1' }))];
const allowing = { 'Access-Control-Request-Method': 'PATCH', 'Access-Control-Request-Headers': 'authorization, if-match' };

async function answer(url: string, origin: string, init: RequestInit = {}): Promise<Record<string, string>> {
  const response = await fetch(url, { ...init, headers: { ...init.headers as Record<string, string>, Origin: origin } });
  return Object.fromEntries(response.headers);
}

test('development answers loopback origins, with credentials', async t => {
  const { url } = await serve(t, routes);
  for (const origin of [
    'http://localhost:5173', 'https://localhost', 'http://app.localhost:3000', 'http://127.0.0.1:8080', 'http://127.9.9.9',
    'http://[::1]:3000',
  ]) {
    t.match(await answer(`${url}/api/x`, origin), {
      'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true', vary: /\bOrigin\b/,
      'access-control-expose-headers':
        'ETag, X-Request-ID, Deprecation, Preference-Applied, Idempotency-Replayed, Retry-After, Server-Timing',
    });
  }
  for (const origin of [
    'https://evil.example', 'http://localhost.evil.example', 'http://evil-localhost', 'http://localhost:1@evil.example',
    'http://127.0.0.1.evil.example', 'null', 'file://', 'http://localhost:123456',
  ]) {
    const headers = await answer(`${url}/api/x`, origin);
    t.notHas(headers, { 'access-control-allow-origin': String }, origin);
    t.match(headers, { vary: /\bOrigin\b/ });
  }
});

test('pages of other origins read the headers of files and of resumable uploads', async t => {
  const { url } = await serve(t, routes);
  const exposed = (await answer(`${url}/api/x`, 'http://localhost'))['access-control-expose-headers']?.split(', ');
  for (const name of [
    'Content-Length', 'Content-Range', 'Accept-Ranges', 'Last-Modified', 'Content-Disposition', 'Location', 'Upload-Offset',
    'Upload-Length', 'Tus-Resumable', 'Tus-Version', 'Tus-Extension', 'Tus-Max-Size',
  ]) {
    t.ok(exposed?.includes(name), name);
  }
});

test('development answers the listed origins too, and * adds none', async t => {
  const { url } = await serve(t, routes, { env: { CORS_ORIGINS: 'https://a.example.com,*', FRONTEND_URL: 'https://f.example.com/app' } });
  for (const origin of ['https://a.example.com', 'https://f.example.com', 'http://localhost:1']) {
    t.equal((await answer(`${url}/api/x`, origin))['access-control-allow-origin'], origin);
  }
  t.notHas(await answer(`${url}/api/x`, 'https://evil.example'), { 'access-control-allow-origin': String });
});

test('production answers the exact list and nothing else', async t => {
  const { url } = await serve(t, routes, { env: productionEnv });
  t.equal((await answer(`${url}/api/x`, 'https://app.example.com'))['access-control-allow-origin'], 'https://app.example.com');
  for (const origin of [
    'http://localhost:3000', 'https://app.example.com.evil.example', 'http://app.example.com', 'https://sub.app.example.com',
  ]) {
    t.notHas(await answer(`${url}/api/x`, origin), { 'access-control-allow-origin': String }, origin);
  }
});

test('errors carry the headers too, or the page could not read them', async t => {
  const { url } = await serve(t, routes);
  t.match(await answer(`${url}/api/nothing`, 'http://localhost:1'), { 'access-control-allow-origin': 'http://localhost:1' });
});

test('a preflight is answered for any path, with what the page asks for', async t => {
  const { url } = await serve(t, routes);
  for (const path of ['/api/x', '/api/nothing']) {
    const headers = await answer(url + path, 'http://localhost:1', { method: 'OPTIONS', headers: allowing });
    t.match(headers, {
      'access-control-allow-origin': 'http://localhost:1', 'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'authorization, if-match',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS', 'access-control-max-age': '600',
      vary: /Origin.*Access-Control-Request-Headers/,
    });
  }
  const refused = await answer(`${url}/api/x`, 'https://evil.example', { method: 'OPTIONS', headers: allowing });
  t.notHas(refused, { 'access-control-allow-origin': String });
  t.notHas(refused, { 'access-control-allow-methods': String });
  t.notHas(refused, { 'access-control-allow-headers': String });
  const odd = await answer(`${url}/api/x`, 'http://localhost:1',
    { method: 'OPTIONS', headers: { ...allowing, 'Access-Control-Request-Headers': 'a: b; c' } });
  t.notHas(odd, { 'access-control-allow-headers': String });
});

test('every answer has the security headers', async t => {
  const { url } = await serve(t, routes);
  for (const path of ['/api/x', '/nothing']) {
    t.match(Object.fromEntries((await fetch(url + path)).headers), {
      'cross-origin-resource-policy': 'cross-origin', 'cross-origin-opener-policy': 'same-origin-allow-popups',
      'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer',
    });
  }
  t.equal((await fetch(`${url}/api/x`)).headers.get('cache-control'), null);
});
