import fc from 'fast-check';
import { test } from 'tap';
import { caughtUp } from '../harness/caught-up.ts';
import { random } from '../harness/effort.ts';
import { tokenFor } from '../harness/service.ts';
import { serviceWith } from './library.ts';

const FUNCTIONS = `
  create function app.sums(a integer, b numeric default 1, many integer[] default '{}', mood app.mood default 'good',
    pair app.pair default null,
    at timestamptz default null, share app.positive default 1, doc jsonb default null, limit_ integer default 1) returns numeric
    language sql stable as 'select a + b';
  create function app.mine(title text default '', variadic words text[] default '{}') returns setof public.books language sql stable
    as 'select * from public.books';
  create function app.titles("limit" integer default 3, "where" text default null) returns table (title text, pages integer, doc jsonb)
    language plpgsql stable as $$ begin return query select b.title, b.pages, '{"a": 1}'::jsonb from public.books b; end $$;
  create function app.writes(title text default 'x') returns setof public.books language plpgsql volatile as
    $$ begin return query select * from public.books b; end $$;
  create function app.whole(jsonb) returns jsonb language sql stable as 'select $1';
  do $do$ declare f regprocedure; begin
    for f in select oid from pg_proc where pronamespace = 'app'::regnamespace
      loop execute format('comment on function %s is ''@endpoint''', f); end loop;
  end $do$`;

const name = fc.constantFrom('sums', 'mine', 'titles', 'writes', 'whole', 'nothing', '__proto__', '%00', 'a%2Fb', '..', 'mine/more', '');
const key = fc.constantFrom('a', 'b', 'many', 'mood', 'pair', 'at', 'share', 'doc', 'title', 'words', 'limit', 'limit_', 'offset',
  'page', 'after',
  'orderBy', 'include', 'fields', 'distinct', 'where', 'or', 'not', 'searchString', 'searchExplain', 'vector_search', 'vector',
    'explain', 'deleted',
  'select', 'groupBy', 'pages', 'doc->a', 'author.name', 'authorId', 'nothing', '', '__proto__', 'a"b', '$1');
const text = fc.oneof(fc.constantFrom('1', '-1', '1e400', 'NaN', 'x', 'good', '{"a":1}', '[1,2]', '["x"]', '[', '{1,2}', 'eq.1',
  'in.(1,2)', 'gt.x',
  'title:desc', 'author', '*', 'title', '(title.eq.x)', '\'', '"', '\\', ';', '--', '$1', '\u0000', '🙂', '2026-01-01', 'infinity',
    'null', 'true', ''),
fc.string({ unit: 'binary', maxLength: 6 }));
const value = fc.oneof(text, fc.json({ maxDepth: 4 }).map(one => JSON.parse(one) as unknown), fc.double(), fc.constant(null),
  fc.array(fc.integer(), { maxLength: 5 }), fc.record({ a: fc.integer(), b: text }, { requiredKeys: [] }));
const body = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(key, value, { maxKeys: 4 }).map(one => JSON.stringify(one)) },
  { weight: 1, arbitrary: fc.json() }, { weight: 1, arbitrary: fc.string() });
const parameters = fc.array(fc.tuple(key, text), { maxLength: 4 }).map(pairs =>
  pairs.map(([one, other]) => `${encodeURIComponent(one.toWellFormed())}=${encodeURIComponent(other.toWellFormed())}`).join('&'));

test('every call gets an answer or a refusal, never SQL, never a row of another caller', async t => {
  const { request } = await serviceWith(t, FUNCTIONS);
  const as = await tokenFor('u1');
  const method = fc.constantFrom('GET', 'POST', 'POST', 'PUT', 'DELETE');
  let answered = 0;
  await fc.assert(fc.asyncProperty(name, method, parameters, body, async (name, method, query, body) => {
    const { status, text, body: answer } = await request(`/functions/${name}?${query}`, { method, as, ...(method !== 'GET' && { body }) });
    const said = `${method} ${name}?${decodeURIComponent(query)} ${body}\n${status} ${text}`;
    if (status >= 500 || ![200, 204, 400, 404, 409].includes(status)) throw new Error(said);
    if (status >= 400 && typeof answer?.error?.code !== 'string') throw new Error(said);
    if (/service_private|given\.|lateral/.test(text)) throw new Error(`SQL: ${said}`);
    if (/"ownerUid":"(?!u1")/.test(text)) throw new Error(`Another's row: ${said}`);
    if (status === 200) answered += 1;
  }), random(2000));
  t.ok(answered > 0, `${answered} were answered`);
});

test('a comment opens a function to those whom it names, or to nobody', async t => {
  const { sql, database: { catalog }, request } = await serviceWith(t, `
    create function app.f() returns integer language sql stable as 'select 1'`);
  const word = fc.constantFrom('@endpoint', '@public', '@roles', '@roles a', '@roles a, b', '@scope', '@scope x:y', '@rolse a', '@',
    '@@', '\n', ' ',
    ',', '.', 'a', 'Opens.', 'x@y.z', '@Endpoint', '@endpoint.', '@endpoint,', '@endpointed', '\t', '$', '\'', '\\', '%', '🙂');
  const nobodys = async () => (await request('/functions/f', { as: null })).status;
  await fc.assert(fc.asyncProperty(fc.array(word, { maxLength: 5 }), fc.constantFrom('', ' '), async (words, between) => {
    const comment = words.join(between);
    await sql.unsafe(`comment on function app.f is '${comment.replaceAll('\'', '\'\'')}'`);
    await caughtUp(catalog);
    const tags = comment.split(/\s+/).filter(one => one.startsWith('@')).map(one => one.replace(/[.,;:]+$/, ''));
    const isOpen = tags.includes('@endpoint') && tags.includes('@public') && tags.every(one => one === '@endpoint' || one === '@public');
    const served = catalog.current.endpoints.served.get('f'); // one with a scope that is not declared stays closed
    if (await nobodys() !== (isOpen ? 200 : tags.includes('@endpoint') && served?.scope === undefined && served ? 401 : 404)) {
      throw new Error(`${JSON.stringify(comment)}: ${await nobodys()}`);
    }
  }), random(400));
});

test('large and deep bodies are read or refused', async t => {
  const { request } = await serviceWith(t, FUNCTIONS);
  const codeOf = async (name: string, body: string) => {
    const { status, body: answer } = await request(`/functions/${name}`, { method: 'POST', body });
    return answer?.error?.code ?? status;
  };
  t.equal(await codeOf('sums', JSON.stringify({ a: 1, many: Array.from({ length: 10_000 }, (_, i) => i) })), 200);
  t.equal(await codeOf('sums', `{"a":1,"doc":${'['.repeat(6_000)}${']'.repeat(6_000)}}`), 200);
  t.equal(await codeOf('sums', `{"a":1,"doc":${'['.repeat(200_000)}${']'.repeat(200_000)}}`), 'VALIDATION_INVALID_VALUE');
  t.equal(await codeOf('sums', `{${Array.from({ length: 5_000 }, (_, i) => `"x${i}":1`).join()}}`), 'VALIDATION_UNKNOWN_FIELDS');
  t.equal(await codeOf('sums', '{"a":1,"a":2}'), 200);
  t.equal(await codeOf('whole', '{"a":"\\u0000"}'), 'PG_22P05');
  t.equal(await codeOf('whole', '{"a":"\\ud800"}'), 'PG_22P02');
  t.equal(await codeOf('sums', '{"a":1} x'), 'BAD_REQUEST');
  t.equal(await codeOf('sums', '[1]'), 'BAD_REQUEST');
  t.equal((await request('/functions/sums', { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } })).status, 415);
});
