// Requests that the server itself rejects, on any route: at the whole service, not at routes made for a test.
import { test } from 'tap';
import { createService, type Answer } from '../harness/service.ts';

function errorOf({ status, body }: Answer): unknown {
  const { code, details } = body.error as { code: string; details?: object };
  return details === undefined ? [status, code] : [status, code, details];
}

test('requests that the server itself refuses', async t => {
  const { request } = await createService(t, { env: { SERVICE_MAX_BODY_SIZE: '1000' } });
  const long = JSON.stringify({ name: 'x'.repeat(1000) });
  t.same(errorOf(await request('/data/tags', { method: 'POST', body: long })), [413, 'PAYLOAD_TOO_LARGE', { limit: 1000 }]);
  t.same(errorOf(await request(`/data/tags?name=${'x'.repeat(33_000)}`)), [414, 'URI_TOO_LONG']);
  t.same(errorOf(await request('/data/tags', { method: 'POST', body: '{}', headers: { 'content-type': 'text/csv' } })),
    [415, 'UNSUPPORTED_MEDIA_TYPE']);
  t.same(errorOf(await request('/data/tags/%zz')), [400, 'BAD_REQUEST']);
  t.same(errorOf(await request('/nothing')), [404, 'NOT_FOUND']);
  t.same(errorOf(await request('/data/tags', { as: null })), [401, 'UNAUTHORIZED']);
  t.same(errorOf(await request('/data/tags', { as: 'wrong' })), [401, 'UNAUTHORIZED']);
  t.same(errorOf(await request('/admin/nothing')), [501, 'NOT_IMPLEMENTED', { feature: 'admin' }]);
});

test('without accounts there is no admin surface and no contract', async t => {
  const { request } = await createService(t, { env: { SERVICE_AUTH: 'off' } });
  t.same(errorOf(await request('/admin/users')), [501, 'ADMIN_SURFACE_UNAVAILABLE', { feature: 'admin', setting: 'SERVICE_AUTH' }]);
  t.same(errorOf(await request('/meta/contract')), [404, 'CONTRACT_UNAVAILABLE', { feature: 'contract', setting: 'SERVICE_AUTH' }]);
});
