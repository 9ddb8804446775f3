import { test } from 'tap';
import { createService, type TestService } from '../harness/service.ts';
import { checked, operationAt, type Document } from './document.ts';

type Schema = { $ref?: string; type?: string; nullable?: boolean; items?: Schema; properties?: Record<string, Schema>; required?: string[]; enum?: unknown[]; format?: string };

type Row = Record<string, unknown>;
type Page = { data: Row[] };

/** One value of each type that a column may have, and one row without any. */
const everyType = `
  create type mood as enum ('calm', 'it''s "loud"');
  create domain percent as integer check (value between 0 and 100);
  create table every_type (
    id uuid primary key default gen_random_uuid(),
    a_text text, a_varchar varchar(10), a_char char(3), an_interval interval, an_inet inet, a_mood mood,
    a_small smallint, an_int integer, a_big bigint, a_numeric numeric(12, 2), a_real real, a_double double precision, a_money money, a_percent percent,
    a_boolean boolean, a_date date, a_time time, a_timestamp timestamp, a_timestamptz timestamptz,
    a_json json, a_jsonb jsonb, a_bytea bytea,
    texts text[], ints integer[], booleans boolean[], moods mood[], days date[], moments timestamptz[], numerics numeric[], jsons jsonb[], blobs bytea[],
    computed integer generated always as (1) stored
  );
  insert into every_type (a_text, a_varchar, a_char, an_interval, an_inet, a_mood, a_small, an_int, a_big, a_numeric, a_real, a_double, a_money, a_percent,
    a_boolean, a_date, a_time, a_timestamp, a_timestamptz, a_json, a_jsonb, a_bytea, texts, ints, booleans, moods, days, moments, numerics, jsons, blobs)
  values ('a', 'b', 'c', '1 day', '::1', 'calm', 1, 2, 9007199254740993, 1.50, 1.5, 2.5, 3, 4,
    true, '2026-01-15', '10:30', '2026-01-15 10:30', '2026-01-15 10:30+02', '{"a":1}', '{"a":1}', '\\x00ff', '{a}', '{1}', '{true}', '{calm}', '{2026-01-15}', '{2026-01-15 10:30+02}', '{1.5}', '{"{}"}', '{"\\\\x00"}');
  insert into every_type default values;
  alter table every_type enable row level security;
  create policy everybody on every_type using (true);

  create table pairs ("left" integer, "right" text, note text, primary key ("left", "right"));
  insert into pairs values (1, 'a/b', 'x');
  alter table pairs enable row level security;
  create policy everybody on pairs using (true);

  create view calm_types with (security_invoker = on) as select id, a_text from every_type where a_mood = 'calm';
  comment on view calm_types is e'Only the calm ones.\\n@key id';`;

test('what the document says of a real database is what its routes answer', async t => {
  const service = await createService(t, { setup: everyType });
  const answer = await service.request('/docs', { as: null });
  const document = await checked(t, answer.text);
  t.equal(answer.status, 200);
  t.ok(document.paths['/data/products/{parentId}/tags'], 'with its nested lists');
  for (const path of Object.keys(document.paths)) {
    const target = await filled(path, service);
    const { status, text } = await service.request(target);
    t.equal(status, 200, `${path} answers`, { text });
    t.same(violations(JSON.parse(text), answerSchema(document, path), document), [], `${path} answers as its schema says`);
  }
});

test('every documented parameter is taken', async t => {
  const service = await createService(t, { setup: everyType });
  const document = await checked(t, (await service.request('/docs')).text);
  for (const path of ['/data/every_type', '/data/every_type/count', '/data/products/{parentId}/reviews']) {
    const target = await filled(path, service);
    for (const { name } of operationAt(document, path).parameters.filter(parameter => parameter.in === 'query' && parameter.name !== 'after')) {
      const { status, text } = await service.request(`${target}?${encodeURIComponent(name)}=${encodeURIComponent(samples[name] ?? 'notnull.null')}`);
      t.equal(status, 200, `${path} takes ${name}`, { text });
    }
  }
});

test('views, composite keys, comments and limits of a real database', async t => {
  const service = await createService(t, { setup: everyType, env: { SERVICE_DEFAULT_LIST_LIMIT: '7', SERVICE_MAX_LIST_LIMIT: '70' } });
  const document = await checked(t, (await service.request('/docs')).text);
  t.match(document.tags.find(({ name }) => name === 'Calm types'), { description: 'Only the calm ones.' });
  t.match(document.components.schemas['CalmType'], { required: ['id'], properties: { id: { format: 'uuid', readOnly: true } } });
  t.match(operationAt(document, '/data/pairs/{id}').parameters[0], { name: 'id', in: 'path', schema: { type: 'string' }, description: /left, right.*:::/ });
  t.match(operationAt(document, '/data/pairs').parameters[0], { name: 'limit', schema: { default: 7, maximum: 70 } });
});

test('the list of collections and the schema version of a real database', async t => {
  const service = await createService(t, { setup: everyType });
  const { data } = JSON.parse((await service.request('/data/collections')).text) as Page;
  const { schemaVersion } = JSON.parse((await service.request('/meta/schema-version', { as: null })).text) as Row;
  t.match(data.find(({ slug }) => slug === 'pairs'), { name: 'Pairs', singularName: 'Pair', primaryKey: ['left', 'right'], schemaVersion });
  t.match(data.find(({ slug }) => slug === 'products'), { primaryKey: 'id', description: /^What the shop sells/, schemaVersion });
});

/** A value for each parameter that is no filter. */
const samples: Record<string, string> = {
  limit: '1', offset: '0', page: '1', orderBy: 'id', fields: 'id', include: '*',
  where: '{"id":["is-not-null",null]}', or: '(id.notnull)', and: '(id.notnull)', not: '(id.isnull)',
};

/** The path with the id of its collection's first row. */
async function filled(path: string, service: TestService): Promise<string> {
  const slug = path.split('/')[2] ?? '';
  const { data: [first = {}] } = JSON.parse((await service.request(`/data/${slug}?limit=1`)).text) as Page;
  const collection = service.database.catalog.current.document.collections.find(candidate => encodeURIComponent(candidate.slug) === slug);
  const id = (collection?.key ?? []).map(name => String(first[name])).join(':::');
  return path.replace(/\{(id|parentId)\}/, encodeURIComponent(id));
}

function answerSchema(document: Document, path: string): Schema {
  return (operationAt(document, path).responses['200'] as { content: { 'application/json': { schema: Schema } } }).content['application/json'].schema;
}

/** Where a value is not what a schema says: types, formats, nulls, and properties that are missing or not documented. */
function violations(value: unknown, schema: Schema, document: Document, at = '$'): string[] {
  if (schema.$ref) return violations(value, document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema, document, at);
  if (value === null) return schema.nullable || Object.keys(schema).length === 0 ? [] : [`${at} is null`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is not one of its values`];
  if (schema.type && !checks[schema.type]?.(value)) return [`${at} is no ${schema.type}: ${JSON.stringify(value)}`];
  if (schema.format && !(formats[schema.format] ?? /(?:)/).test(JSON.stringify(value))) return [`${at} is no ${schema.format}: ${JSON.stringify(value)}`];
  if (Array.isArray(value)) return value.flatMap((item, i) => violations(item, schema.items ?? {}, document, `${at}[${i}]`));
  if (!schema.properties) return [];
  const row = value as Row;
  return [
    ...(schema.required ?? []).filter(name => !(name in row)).map(name => `${at}.${name} is missing`),
    ...Object.entries(row).flatMap(([name, inner]) => schema.properties?.[name] ? violations(inner, schema.properties[name], document, `${at}.${name}`) : [`${at}.${name} is not documented`]),
  ];
}

const checks: Record<string, (value: unknown) => boolean> = {
  string: value => typeof value === 'string',
  integer: Number.isInteger,
  number: value => typeof value === 'number',
  boolean: value => typeof value === 'boolean',
  array: Array.isArray,
  object: value => typeof value === 'object' && !Array.isArray(value),
};
/** Of the value's JSON text. */
const formats: Record<string, RegExp> = {
  uuid: /^"[0-9a-f-]{36}"$/,
  date: /^"\d{4}-\d{2}-\d{2}"$/,
  'date-time': /^"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z"$/,
  byte: /^"[A-Za-z0-9+/]*=*"$/,
};
