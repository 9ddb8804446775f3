import { test } from 'tap';
import { serviceWith } from './library.ts';
import { CASES, FUNCTIONS } from './rpc-cases.ts';

test('calls of a project that comes from PostgREST', async t => {
  const { request } = await serviceWith(t, FUNCTIONS);
  for (const { name, path, method, body, prefer, status = 200, text, json, data, meta, code, type } of CASES) {
    const answer = await request(`/functions/${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'), ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(prefer !== undefined && { headers: { prefer } }),
    });
    t.equal(answer.status, status, `${name}: ${answer.text}`);
    if (text !== undefined) t.equal(answer.text, text, name);
    if (json !== undefined) t.same(answer.body, json, name);
    if (data !== undefined) t.same(answer.body.data, data, name);
    if (meta !== undefined) t.match(answer.body.meta, meta, name);
    if (code !== undefined) t.equal(answer.body.error.code, code, name);
    if (type !== undefined) t.match(answer.headers.get('content-type'), type, name);
  }
});
