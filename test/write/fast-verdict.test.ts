import fc from 'fast-check';
import { test } from 'tap';
import type { Row } from '../../gateway/database/lane.ts';
import { isRetriedBySteps, raisedStatus } from '../../gateway/database/sqlstate.ts';
import { serviceCaller } from '../../gateway/identity/caller.ts';
import { textOf } from '../database/lanes.ts';
import { random, runs } from '../harness/effort.ts';
import { collections, createWriter, type Writer } from './client.ts';

type Property = { type: string; [key: string]: unknown };

const without = (of: Record<string, unknown>, ...keys: string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(of).filter(([key]) => !keys.includes(key)));
/** Some of these keys. */
const some = (keys: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> => fc.record(keys, { requiredKeys: [] });
const on = fc.constant(true);
const scalars: fc.Arbitrary<Property>[] = [
  fc.oneof(some({ length: fc.nat(4) }), some({ min: fc.nat(2), max: fc.integer({ min: 2, max: 5 }) }))
    .chain(size => some({ matches: fc.constantFrom('^[a-z ]+$', '/^ab/i', '^$|@'), trim: on, lowercase: on, uppercase: on }).map(more =>
      ({ ...size, ...more })))
    .chain(validation => some({ email: on, url: on, validation: fc.constant(validation) }).map(more => ({ type: 'string', ...more }))),
  fc.uniqueArray(fc.constantFrom('a', 'AB', ' ', 'null', '1'), { minLength: 1 }).map(values => ({ type: 'string', enum: values })),
  some({ min: fc.integer({ min: -3, max: 2 }), max: fc.constantFrom(2,
    2.5), moreThan: fc.constantFrom(-1, 0.5), lessThan: fc.constantFrom(3, 1e20), positive: on, negative: on, integer: on })
    .chain(validation => fc.constantFrom({}, { columnType: 'smallint' }, { columnType: 'double precision' },
      { columnType: 'numeric', precision: 6, scale: 1 }).map(column => ({ type: 'number', ...column, validation }))),
  fc.uniqueArray(fc.constantFrom(1, 2.5, -1), { minLength: 1 }).map(values => ({ type: 'number', enum: values })),
  some({ min: fc.constantFrom('2020-01-01', '2024-02-29T12:00:00Z'), max: fc.constantFrom('2024-12-31', '2025-01-01T00:00:00+02:00') })
    .chain(validation =>
      fc.constantFrom({}, { mode: 'date' }, { columnType: 'timestamp' }).map(column => ({ type: 'date', ...column, validation }))),
  fc.constant({ type: 'boolean' }), fc.constant({ type: 'geopoint' }), fc.constant({ type: 'binary' }),
];
/** Without what only a column has. */
const inside = (of: Property): Property => without(of, 'columnType', 'mode', 'precision', 'scale') as Property;
const { property } = fc.letrec<{ property: Property; array: Property; map: Property }>(tie => ({
  property: fc.oneof({ depthSize: 'small' }, ...scalars.map(arbitrary => ({ weight: 2, arbitrary })), tie('array'), tie('map')),
  array: fc.record({
    type: fc.constant('array'), of: tie('property').map(inside),
    validation: some({ min: fc.nat(1), max: fc.integer({ min: 1, max: 3 }), uniqueInArray: on }),
  }),
  map: fc.record({
    type: fc.constant('map'), validation: fc.constant({}),
    properties: fc.dictionary(fc.constantFrom('a', 'b'), fc.tuple(tie('property').map(inside), fc.boolean())
      .map(([part, required]): Property =>
        ({ ...part, validation: { ...part['validation'] as object, ...(required && { required }) } })), { minKeys: 1 }),
  }),
}));
/** A map whose parts have defaults, as far as they are truth values: those of arrays can have none. */
function withDefaults(property: Property): Property {
  if (property.type === 'boolean') return { ...property, defaultValue: false };
  if (property.type !== 'map') return property;
  return { ...property, properties: Object.fromEntries(Object.entries(property['properties'] as Record<string, Property>)
    .map(([key, part]) => [key, withDefaults(part)])) };
}
const FIELDS = ['f0', 'f1', 'f2', 'f3'];
const collection = (slug: string) => fc.record(Object.fromEntries(FIELDS.map(name =>
  [name, fc.oneof(property, property.map(one => one.type === 'map' ? withDefaults(one) : one))])) as Record<string, fc.Arbitrary<Property>>)
  .map(fields => ({
    slug, securityRules: [{ operation: 'all', access: 'public' }],
    properties: { id: { type: 'number', isId: 'increment' }, ...fields, made: { type: 'date', autoValue: 'on_create' } },
  }));

/** JSON that sits on the edges of the rules, of every type whatever the field's. */
const odd = fc.constantFrom(
  'null', 'true', '0', '-1', '1', '1.0', '2.5', '3', '1e30', '"1"', '" 2.50 "', '"NaN"', '""', '" "', '"a"', '"AB"', '" ab "', '"äöü🦊"',
  '"a@b.c"', '"https://x.y"', '"now"', '"2020-01-01"',
  '"2024-02-29T12:00:00.000001Z"', '"2024-02-30"', '" 2024-01-01"', '"-infinity"', '"12:00"', '"99999-01-01"', '"AAH/"',
  '{"latitude":1,"longitude":2}', '{"$inc":1}', '{}', '[]', '"\\u0000"',
);
const { json } = fc.letrec<{ json: string; list: string; object: string }>(tie => ({
  json: fc.oneof({ weight: 8, arbitrary: odd }, { weight: 1, arbitrary: tie('list') }, { weight: 1, arbitrary: tie('object') }),
  list: fc.array(tie('json'), { maxLength: 3 }).map(items => `[${items.join(',')}]`),
  object: fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', '$x'), tie('json')), { maxLength: 2, selector: ([key]) => key }).map(entries =>
    `{${entries.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
}));

/** A value that fits the property, most of the time. */
function likely({ type, of, properties, enum: values }: Property): fc.Arbitrary<string> {
  if (values) return fc.constantFrom(...values as unknown[]).map(value => JSON.stringify(value));
  if (type === 'array') return fc.array(likely(of as Property), { maxLength: 3 }).map(items => `[${items.join(',')}]`);
  if (type === 'map') {
    return fc.tuple(...Object.entries(properties as Record<string, Property>).map(([key, part]) =>
      likely(part).map(value => `"${key}":${value}`))).chain(entries => fc.subarray(entries)).map(entries => `{${entries.join(',')}}`);
  }
  return odd.filter(text =>
    text === 'null' || typeof JSON.parse(text) === ({ number: 'number', boolean: 'boolean', geopoint: 'object' }[type] ?? 'string'));
}
const bodyFor = (properties: Record<string, Property>) => fc.uniqueArray(fc.constantFrom(...FIELDS, 'made'), { minLength: 1, maxLength: 3 })
  .chain(names =>
    fc.tuple(...names.map(name => fc.oneof({ weight: 3, arbitrary: likely(properties[name] ?? { type: 'date' }) },
      { weight: 1, arbitrary: json }).map(value => [name, value] as const))));

/** The row, or undefined for a refusal; anything else is thrown. */
async function outcome({ database: { lanes } }: Writer, text: string, parameters: string[]): Promise<Row | undefined> {
  try {
    const row = await lanes.write.run({ text, prepare: false, enterFirst: false }, [...serviceCaller.claims, ...parameters]);
    return row.length === 0 ? undefined : row;
  } catch (error) {
    if (isRetriedBySteps(error) || raisedStatus(error) !== undefined) return undefined;
    throw error;
  }
}

test('the one statement and service_private.write store the same', async t => {
  const tables = fc.sample(fc.tuple(...Array.from({ length: runs(40) },
    (_, n) => collection(`random_${n}`))), { numRuns: 1, seed: random(1).seed })[0] ?? [];
  const writer = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...tables) } });
  const shown = (row: Row) => JSON.stringify(without(JSON.parse(textOf(row)) as Record<string, unknown>, 'id', 'made'));
  let [yes, no, slower] = [0, 0, 0];
  const agrees = async (
    op: 'create' | 'update', { slug, properties }: { slug: string; properties: Record<string, Property> },
    body: readonly (readonly [string, string])[],
  ) => {
    const shape = { op, collection: slug, body: body.map(([name]) => name).sort(), bounds: { answer: 1e6, related: 1000 } };
    const [found] = await writer.sql<{ plan: string; fast: string | null }[]>`
      select (p - 'fastPath')::text as plan, p ->> 'fastPath' as fast
      from service_private.write_plan(${JSON.stringify(shape)}::text::jsonb, '{admin}') p`;
    if (!found?.fast) return; // nothing but the stamp
    const path = op === 'create' ? [slug] : [slug, '1'];
    const request = `{"op":"${op}","path":${JSON.stringify(path)},"body":{${body.map(([name, value]) => `"${name}":${value}`).join(',')}}}`;
    const fast = await outcome(writer, found.fast, [request, ...path.slice(1)]);
    const judged = await outcome(writer,
      `select service_private.write(array[$1, $2, $3, $4, $5], $6::jsonb, '${found.plan.replaceAll("'", "''")}'::jsonb)::text`, [request]);
    const told = `${JSON.stringify(properties)}\n${request}`;
    if (fast && !judged) throw new Error(`service_private.write refuses what the statement stores: ${told}`);
    if (fast && judged && shown(fast) !== shown(judged)) throw new Error(`Stored as ${textOf(fast)} and as ${textOf(judged)}: ${told}`);
    if (fast) yes++;
    else if (judged) slower++;
    else no++;
  };
  for (const table of tables) {
    await writer.sql`insert into ${writer.sql(table.slug)} default values`;
    for (const op of ['create', 'update'] as const) {
      await t.resolves(fc.assert(fc.asyncProperty(bodyFor(table.properties), body => agrees(op, table, body)), random(75)),
        `${op} ${table.slug}`);
    }
  }
  const isMany = yes + no > 1000; // a few tables can be such that hardly anything fits them
  t.ok(yes > (isMany ? no / 10 : 0) && no > 0, `${yes} stored, ${slower} stored only by service_private.write, ${no} refused`);
  t.ok(slower < yes + (isMany ? 0 : no / 10), 'most of what can be stored is stored by the statement');
});
