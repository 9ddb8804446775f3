import { test } from 'tap';
import { caughtUp } from '../harness/caught-up.ts';
import { tokenFor, type TestService } from '../harness/service.ts';
import { call, serviceWith } from './library.ts';

const GATED = `
  create function app.open_door() returns text language sql stable as $$ select 'in' $$;
  comment on function app.open_door is '@endpoint @public';
  create function app.usual_door() returns text language sql stable as $$ select 'in' $$;
  comment on function app.usual_door is '@endpoint';
  create function app.editors_door() returns text language sql stable as $$ select 'in' $$;
  comment on function app.editors_door is E'For some.\\n@endpoint\\n@roles editor, chief';
  create function app.scoped_door() returns text language sql stable as $$ select 'in' $$;
  comment on function app.scoped_door is '@endpoint @scope users:read'`;

async function keyOf({ request }: TestService, scopes: string[], roles: string[] = []): Promise<string> {
  const { body } = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes, roles }) });
  return body.key.key;
}

test('each guard lets in whom it says, by every kind of caller', async t => {
  const service = await serviceWith(t, GATED);
  const callers = {
    nobody: null,
    guest: await tokenFor('g1', [], { isAnonymous: true }),
    person: await tokenFor('u1'),
    editor: await tokenFor('u2', ['editor']),
    admin: await tokenFor('u3', ['admin']),
    service: undefined,
    key: await keyOf(service, ['functions:invoke']),
    narrowKey: await keyOf(service, ['functions:invoke:usual_door']),
    editorKey: await keyOf(service, ['functions:invoke'], ['editor']),
    scopedKey: await keyOf(service, ['functions:invoke', 'users:read']),
    dataKey: await keyOf(service, ['data:read']),
  };
  const [yes, who, no, key] = ['"in"', 'UNAUTHORIZED', 'FORBIDDEN', 'API_KEY_FORBIDDEN'];
  const expected: Record<keyof typeof callers, string[]> = {
    nobody: [yes, who, who, who],
    guest: [yes, yes, no, no],
    person: [yes, yes, no, no],
    editor: [yes, yes, yes, no],
    admin: [yes, yes, yes, yes],
    service: [yes, yes, yes, yes],
    key: [yes, yes, key, key],
    narrowKey: [key, yes, key, key],
    editorKey: [yes, yes, yes, key],
    scopedKey: [yes, yes, key, yes],
    dataKey: [key, key, key, key],
  };
  for (const [name, as] of Object.entries(callers)) {
    const answers = [];
    for (const door of ['open_door', 'usual_door', 'editors_door', 'scoped_door']) {
      const { body, text } = await call(service, door, {}, as);
      answers.push(body.error?.code ?? text);
    }
    t.same(answers, expected[name as keyof typeof callers], name);
  }
  t.equal((await call(service, 'open_door', {}, 'nonsense')).status, 401, 'a credential that is not valid is none');
});

test('callers who are signed in are told which functions there are', async t => {
  const service = await serviceWith(t, `${GATED};
    create function app.wrong(anyelement) returns text language sql as $$ select 'x' $$;
    comment on function app.wrong is '@endpoint';
    create function app.writes() returns void language sql volatile as '';
    comment on function app.writes is '@endpoint'`);
  const names = ['editors_door', 'open_door', 'scoped_door', 'usual_door', 'writes'];
  const { request } = service;
  const detailsOf = async (path: string, as?: string | null, method = 'GET') => {
    const { status, body: { error: { code, details } } } = await request(path, { method, ...(as !== undefined && { as }) });
    t.same([status, code], [404, 'FUNCTION_NOT_FOUND'], `${method} ${path}`);
    return details;
  };
  t.same(await detailsOf('/functions/nothing'), { function: 'nothing', functions: names, skipped: 1 });
  t.same(await detailsOf('/functions/nothing', null), { function: 'nothing' });
  t.same(await detailsOf('/functions', await tokenFor('u1')), { function: '', functions: names, skipped: 1 });
  t.same(await detailsOf('/functions/nothing', await keyOf(service, ['functions:invoke'])), { function: 'nothing', functions: names,
    skipped: 1 });
  t.equal((await request('/functions/nothing', { as: await keyOf(service, ['functions:invoke:usual_door']) })).status, 403);
  t.same((await detailsOf('/functions/writes')).function, 'writes');
  t.same((await detailsOf('/functions/wrong', undefined, 'POST')).function, 'wrong');
  t.same((await detailsOf('/functions/open_door/more')).function, 'open_door');
  t.same((await detailsOf('/functions/open_door', undefined, 'DELETE')).function, 'open_door');
  t.same((await detailsOf('/functions/__proto__')).function, '__proto__');
  t.same((await detailsOf('/functions/OPEN_DOOR')).function, 'OPEN_DOOR');
});

test('a key reads no more than the rows of the function without data:read', async t => {
  const service = await serviceWith(t, `
    create function app.all_books() returns setof books language sql stable as 'select * from public.books';
    comment on function app.all_books is '@endpoint'`);
  const ask = async (query: string, as: string) => {
    const { status, body } = await service.request(`/functions/all_books?${query}`, { as });
    return body.error?.details.requiredScope ?? status;
  };
  const key = await keyOf(service, ['functions:invoke'], ['admin']);
  t.equal(await ask('pages=gt.20&fields=title', key), 200);
  for (const query of ['include=author', 'author.name=Ada', 'where={"author.name":["==","Ada"]}', 'or=(author.name.eq.Ada)', 'include=*']) {
    t.equal(await ask(query, key), 'data:read:authors', query);
  }
  t.equal(await ask('include=author', await keyOf(service, ['functions:invoke', 'data:read:authors'], ['admin'])), 200);
});

test('a tag that is written to the end of another opens nothing', async t => {
  const service = await serviceWith(t, `
    create function app.glued() returns text language sql stable as $$ select 'in' $$;
    comment on function app.glued is '@endpoint@roles admin'`);
  t.equal((await call(service, 'glued', {})).status, 404);
});

test('the targets of functions:invoke are the functions that are served', async t => {
  const { request, sql, database } = await serviceWith(t, GATED);
  const statusOf = async (scope: string) => {
    const { status, body } = await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'k', scopes: [scope] }) });
    return body.error?.code ?? status;
  };
  t.equal(await statusOf('functions:invoke:open_door'), 201);
  t.equal(await statusOf('functions:invoke:other'), 'UNKNOWN_SCOPE_TARGET');
  await sql`drop function app.open_door`;
  await caughtUp(database.catalog);
  t.equal(await statusOf('functions:invoke:open_door'), 'UNKNOWN_SCOPE_TARGET');
});
