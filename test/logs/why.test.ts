// rowgate why: a refused request is found in the log by its id, and asked again.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { runCommand } from '../boot/gateway.ts';
import { SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { startService } from '../workers/service.ts';

const SECRET = 'a secret of the body';

test('rowgate why opens a refusal by its request id', async t => {
  const { address, port, database, gateway } = await startService(t, { LOG_LEVEL: 'debug' });
  await database.sql`insert into service.users (uid, email, roles) values ('eve', 'eve@example.org', '{helper}')`;
  const env = { PORT: port, DATABASE_URL: database.url };
  const eve = await tokenFor('eve', ['helper']);
  const send = async (method: string, path: string, as: string, body?: object) => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
    const response = await fetch(`${address}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { id: response.headers.get('x-request-id') ?? '', status: response.status, body: await response.json() as any };
  };
  const why = (...args: string[]) => runCommand(t, ['why', ...args], env);

  const hidden = await send('GET', '/data/orders/1', eve);
  t.equal(hidden.status, 404);
  const { code, output } = await why(hidden.id);
  t.equal(code, 0);
  t.match(output, /^GET \/api\/data\/orders\/1 answered 404 NOT_FOUND to eve \(helper\)\.\n\npart +\| name +\| clause /);
  t.match(output, /^policy +\| own_orders +\| select using +\| false/m);
  t.match(output, /\nNow: hidden: no permissive policy for select is true .*own_orders, customers\.uid is someone else's\n$/);

  const denied = await send('PATCH', '/data/products/1', eve, { description: SECRET });
  const json = JSON.parse((await why(denied.id, '--json', '--body', '{"description": "x"}')).output);
  t.match(json, { request: {
    requestId: denied.id, code: 'WRITE_DENIED', operation: 'update', collection: 'products', id: '1', uid: 'eve', roles: 'helper',
  } });
  t.match(json.lines.find(({ part }: { part: string }) => part === 'request'), { name: 'WRITE_DENIED', verdict: 'false' });
  t.notMatch(JSON.stringify(json), new RegExp(SECRET));
  t.match((await why(denied.id)).output, /\nThe log has no bodies: --body gives the one that was sent\.\n/);

  const { body: { key } } = await send('POST', '/admin/api-keys', SERVICE_KEY, { name: 'reader', scopes: ['data:read:tags'], roles: [] });
  const narrow = await send('GET', '/data/products/1', key.key);
  t.equal(narrow.status, 403);
  t.match((await why(narrow.id)).output, /403 API_KEY_FORBIDDEN to api-key:.*\nNow: hidden: data:read:products is not among the scopes/s);

  const batch = await send('POST', '/data/_batch', eve, { operations: [
    { op: 'create', collection: 'customers', values: { uid: 'eve', name: 'Eve', email: 'eve@example.org', city: 'Bern', country: 'CH' } },
    { op: 'update', collection: 'products', id: 2, values: { description: SECRET } },
  ] });
  t.match(batch.body, { error: { code: 'WRITE_DENIED', details: { index: 1 } } });
  t.match((await why(batch.id, '--id', '2')).output, /POST \/api\/data\/_batch answered 403 WRITE_DENIED.*staff_update/s);
  t.match(await why(batch.id), { code: 1, stderr: /^The body named the row of products, and the log has no bodies: --id gives it/ });

  // Standard output of a service whose entries are gone.
  const file = join(t.testdir(), 'service.log');
  writeFileSync(file, `no JSON\n${(await runCommand(t, ['logs', '--json'], env)).output}`);
  t.match(await runCommand(t, ['why', hidden.id, '--file', file], { DATABASE_URL: database.url }), { code: 0, output: /own_orders/ });
  t.notMatch(gateway.output(), SECRET);

  const read = await send('GET', '/data/products/1', eve);
  t.match(await why(read.id), { code: 1, stderr: /GET \/api\/data\/products\/1, answered 200: no refused request for data\.\n$/ });
  t.match(await why('00000000-0000-4000-8000-000000000000'), { code: 1, stderr: /^The log has no request 0{8}-/ });
  t.match(await why(hidden.id, '--file', '/nothing/here'), { code: 1, stderr: /^\/nothing\/here cannot be read: ENOENT/ });
  t.match(await why(), { code: 1, stderr: /^Which request\?/ });
  t.match(await why(denied.id, '--body', 'price=3'), { code: 1, stderr: /invalid input syntax for type json/ });
});
