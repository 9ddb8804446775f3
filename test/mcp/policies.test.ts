// Policies that look at the claims of an agent: what it is, and what it was given.
import { test } from 'tap';
import { serveOAuth } from '../oauth/clients.ts';

const SETUP = `
  create table public.letters (id integer primary key, body text not null);
  create table public.drafts (id integer primary key, body text not null);
  create table public.plain (id integer primary key, body text not null);
  insert into public.letters values (1, 'dear');
  insert into public.drafts values (1, 'perhaps');
  insert into public.plain values (1, 'all');
  alter table public.letters enable row level security; create policy everybody on public.letters using (true) with check (true);
  alter table public.drafts enable row level security; create policy everybody on public.drafts using (true) with check (true);
  alter table public.plain enable row level security; create policy everybody on public.plain using (true);
  create policy no_agents on public.letters as restrictive for all to service_user
    using ((select service.jwt()) ->> 'client_id' is null);
  create policy agents_that_write on public.drafts as restrictive for all to service_user
    using (coalesce('data:write' = any (string_to_array((select service.jwt()) ->> 'scope', ' ')),
      (select service.jwt()) ->> 'client_id' is null))`;

test('policies by client_id and by scope hide rows from an agent, and not from the person who let it in', async t => {
  const service = await serveOAuth(t, { SERVICE_SOURCE: 'tables' }, { setup: SETUP });
  const ada = await service.register('ada@example.org');
  await service.sql`update service.users set roles = '{}'`; // the first account is an admin
  const person = (await service.login('ada@example.org')).access;
  const client = await service.registerClient();
  const agentOf = async (scope: string) => (await service.letIn(client, { ...ada, access: person }, scope)).access_token;
  const [reader, writer] = [await agentOf('data:read'), await agentOf('data:read data:write')];

  const call = async (as: string, name: string, given: object) => {
    const response = await fetch(`${service.address}/mcp`, {
      method: 'POST', headers: { 'authorization': `Bearer ${as}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
    });
    return (await response.json() as { result: any }).result;
  };
  const seen = async (as: string, collection: string): Promise<number> => {
    if (as === person) return (await service.request(`/data/${collection}`, { as })).body.data.length;
    return (await call(as, 'query_collection', { collection })).structuredContent.rows.length;
  };
  const table = async (as: string) => Promise.all(['plain', 'letters', 'drafts'].map(collection => seen(as, collection)));
  t.same(await table(person), [1, 1, 1], 'the person');
  t.same(await table(reader), [1, 0, 0], 'an agent that reads');
  t.same(await table(writer), [1, 0, 1], 'an agent that writes');

  for (const as of [reader, writer]) {
    t.match(await call(as, 'get_document', { collection: 'letters', id: 1 }), { isError: true, content: [{ text: /^NOT_FOUND/ }] });
    t.same((await call(as, 'aggregate_collection', { collection: 'letters', select: ['count()'] })).structuredContent.data, [{ count: 0 }]);
  }
  t.match(await call(writer, 'update_document', { collection: 'letters', id: 1, values: { body: 'mine' } }),
    { isError: true, content: [{ text: /^NOT_FOUND/ }] });
  t.match(await call(writer, 'create_document', { collection: 'letters', values: { id: 2, body: 'mine' } }), { isError: true });
  const changed = await call(writer, 'update_document', { collection: 'drafts', id: 1, values: { body: 'surely' } });
  t.equal(changed.structuredContent.body, 'surely');
  t.same(await service.sql`select id, body from letters`, [{ id: 1, body: 'dear' }]);
});
