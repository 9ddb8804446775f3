// Functions of odd signatures: each is served or named, and none breaks the rest.
import { test } from 'tap';
import { caughtUp } from '../harness/caught-up.ts';
import { some } from '../harness/effort.ts';
import { call, serviceWith } from './library.ts';

const TYPES = [
  'integer', 'integer[]', 'text', 'jsonb', 'json', 'app.mood', 'app.mood[]', 'app.pair', 'app.pair[]', 'app.positive', 'app.positive[]',
  'app.pair_domain', 'app.list_domain', 'public.books', 'public.books[]', 'numrange', 'nummultirange', 'bit', 'char', '"char"', 'char[]',
    'name',
  'oid', 'regclass', 'xml', 'tsvector', 'tsquery', 'point', 'money', 'bytea', 'interval', 'time with time zone', 'timestamp',
    'timestamptz[]',
  'refcursor', 'pg_lsn', 'txid_snapshot', 'void', 'record', 'anyelement', 'anyarray', 'anycompatible', 'cstring', 'internal', 'trigger',
  'event_trigger', 'language_handler', '"odd "" schema"."odd "" type"', 'uuid', 'inet', 'double precision', 'app.books_view', 'jsonpath',
];
const ARGUMENT_NAMES = ['', 'a', '"odd "" name"', '"ünï"', 'limit', 'select_', '"select"', '"a.b"', '"a->b"', '_a', '"__proto__"',
  '"$1"', '"A b"'];
const FUNCTION_NAMES = ['f', '"odd "" name"', '"a/b"', '"ünï"', '"select"', '"A.B"', '"__proto__"', '"%"', '"f(x)"', '"constructor"',
  '"x!y"'];

/** A function of each, by turns. */
const signatures = [
  ...TYPES.flatMap((type, i) => [
    `(a ${type}) returns integer language sql stable`, `(a ${type} default null) returns ${type} language plpgsql volatile`,
    `() returns setof ${type} language plpgsql stable`, `(${type}) returns void language plpgsql volatile`,
    `(out a ${type}, out b integer) language plpgsql stable`,
    i % 3 === 0
      ? `(variadic a ${type}[]) returns table (${ARGUMENT_NAMES[1 + i % (ARGUMENT_NAMES.length - 1)]} ${type}) language plpgsql stable`
      : '',
  ]),
  ...ARGUMENT_NAMES.flatMap(name => [
    `(${name} integer) returns integer language plpgsql immutable`, `(inout ${name} text) language plpgsql stable`,
    `(out ${name} text, out text) language plpgsql stable`,
      `(${name === '' ? '' : name} json, out x integer) returns setof integer language plpgsql`,
  ]),
  `(${Array.from({ length: 100 }, (_, i) => `a${i} integer default ${i}`).join()}) returns integer language plpgsql stable`,
  `() returns table (${Array.from({ length: 1000 }, (_, i) => `c${i} integer`).join()}) language plpgsql stable`,
].filter(text => text !== '');

test('a function of any signature is served or named', async t => {
  const service = await serviceWith(t, `
    create domain app.pair_domain as app.pair; create domain app.list_domain as integer[];
    create view app.books_view with (security_invoker) as select id, title from public.books;
    create schema "odd "" schema"; grant usage on schema "odd "" schema" to service_user;
    create type "odd "" schema"."odd "" type" as enum ('x');
    create function app.good() returns integer language sql stable as 'select 1'; comment on function app.good is '@endpoint'`);
  const { sql, database: { catalog } } = service;
  let [served, refused] = [0, 0];
  for (const [n, signature] of some(signatures).entries()) {
    const name = FUNCTION_NAMES[n % FUNCTION_NAMES.length] ?? '';
    const body = signature.includes('plpgsql') ? (/returns (setof|table)|setof/.test(signature) ? 'begin return; end'
      : /returns (void|trigger|event_trigger)|\bout\b|inout/.test(signature) ? 'begin end' : 'begin return null; end') : 'select 1';
    const made = await sql.unsafe(`create function app.${name} ${signature} as $f$ ${body} $f$`).then(() => true, () => false);
    if (!made) continue; // PostgreSQL has no such function
    const [{ oid, plain } = { oid: '', plain: '' }] = await sql<{ oid: string; plain: string }[]>`
      select oid::regprocedure::text as oid, proname::text as plain from pg_proc where pronamespace =
        'app'::regnamespace and proname <> 'good'`;
    await sql.unsafe(`comment on function ${oid} is '@endpoint'`);
    await caughtUp(catalog);
    const { endpoints } = catalog.current;
    const isServed = endpoints.served.has(plain);
    t.equal(endpoints.refused.length, isServed ? 0 : 1, `${name}${signature}`);
    t.notMatch(endpoints.refused, [{ problem: /could not be looked at/ }], endpoints.refused[0]?.problem ?? '');
    if (isServed) served += 1;
    else refused += 1;
    const { body: sent, arguments: taken = [] } = endpoints.served.get(plain) ?? {};
    for (const given of sent === undefined ? [{}, Object.fromEntries(taken.map(({ name: one }) => [one, null]))] : [null]) {
      const { status, text } = await call(service, encodeURIComponent(plain), given);
      t.ok(isServed ? [200, 204, 400].includes(status) : status === 404, `${name}${signature}: ${status} ${text.slice(0, 300)}`);
    }
    const rows = await service.request(`/functions/${encodeURIComponent(plain)}?limit=1`, { method: 'POST' });
    t.ok(rows.status < 500, `${name}${signature}: ${rows.text.slice(0, 300)}`);
    t.equal((await service.request('/meta/contract')).status, 200);
    t.equal((await call(service, 'good')).text, '1');
    await sql.unsafe(`drop function ${oid}`);
  }
  t.ok(served > 0 && refused > 0, `${served} are served, ${refused} are not`);
});
