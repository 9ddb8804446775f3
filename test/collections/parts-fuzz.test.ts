import fc from 'fast-check';
import assert from 'node:assert/strict';
import { test } from 'tap';
import '../harness/service.ts'; // has the template
import { createDatabase } from '../harness/database.ts';
import { random } from '../harness/effort.ts';

// Random definitions with closed parts at any depth, and what becomes of random values under them, by a model in memory.

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Guard = { access?: { read?: string[]; write?: string[] }; excludeFromApi?: true };
type Definition = Guard & (
  | { type: 'string' } | { type: 'map'; properties?: Record<string, Definition> } | { type: 'array'; of: Definition }
  | { type: 'array'; oneOf: { typeField: string; valueField: string; properties: Record<string, Definition> } });

const NAMES = ['a', 'b', 'it\'s', '"', '0', 'a.b', '{a,b}', '<value>', '%s', '$1', '', 'type', 'ü'];
const ROLES = [['anon'], ['staff'], ['admin']];
const name = fc.constantFrom(...NAMES);
const guard = fc.oneof({ weight: 5, arbitrary: fc.constant<Guard>({}) }, { weight: 4, arbitrary: fc.constantFrom<Guard>(
  { access: { read: ['staff'] } }, { access: { write: ['staff'] } }, { access: { read: ['staff'], write: ['staff'] } },
  { access: { read: [] } }, { access: { write: [] } }, { excludeFromApi: true }) });
const { value: definition } = fc.letrec<{ value: Definition; parts: Record<string, Definition> }>(tie => ({
  parts: fc.dictionary(name, fc.tuple(tie('value'), guard).map(([value, closed]) => ({ ...value, ...closed })), { minKeys: 1, maxKeys: 4 }),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant<Definition>({ type: 'string' }), fc.constant<Definition>({ type: 'map' }),
    tie('parts').map((properties): Definition => ({ type: 'map', properties })),
    tie('value').map((of): Definition => ({ type: 'array', of })),
    fc.tuple(fc.constantFrom(['type', 'value'], ['is', 'it\'s']), tie('parts')).map(
      ([[typeField = '', valueField = ''], properties]): Definition => ({ type: 'array', oneOf: { typeField, valueField, properties } }),
    ),
  ),
}));
const anything = fc.letrec<{ json: Json }>(tie => ({
  json: fc.oneof({ maxDepth: 2 }, fc.constantFrom<Json>('x', 1, true, null), fc.array(tie('json'), { maxLength: 2 }),
    fc.dictionary(name, tie('json'), { maxKeys: 3 })),
})).json;

/** A value, mostly of the form of its definition. */
function valueOf(definition: Definition): fc.Arbitrary<Json> {
  const formed: fc.Arbitrary<Json> = definition.type === 'string' ? fc.constantFrom('x', 'y', 'z')
    : definition.type === 'map' ? objectOf(definition.properties ?? {})
    : fc.array('of' in definition ? valueOf(definition.of) : blockOf(definition.oneOf), { maxLength: 3 });
  return fc.oneof({ weight: 12, arbitrary: formed }, { weight: 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: anything });
}
function objectOf(properties: Record<string, Definition>): fc.Arbitrary<Json> {
  const known = fc.record(Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, valueOf(part)])), { requiredKeys: [] });
  return fc.tuple(fc.dictionary(name, fc.constantFrom('x', 1),
    { maxKeys: 2 }), known).map(([extra, parts]) => ({ ...extra, ...parts as Record<string, Json> }));
}
function blockOf(
  { typeField, valueField, properties }: { typeField: string; valueField: string; properties: Record<string, Definition> },
): fc.Arbitrary<Json> {
  return fc.oneof(...Object.entries(properties).map(([type, part]) => fc.tuple(
    fc.option(valueOf(part), { nil: undefined }), fc.boolean(),
  ).map(([value, isMore]): Json =>
    ({ [typeField]: type, ...(value !== undefined && { [valueField]: value }), ...(isMore && { more: 1 }) }))));
}

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const may = (list: string[] | undefined, [role = '']: string[]): boolean =>
  list === undefined || list.includes(role) || (role === 'admin' && list.length > 0);
const reads = ({ access, excludeFromApi }: Guard, roles: string[]): boolean => excludeFromApi !== true && may(access?.read, roles);
const writes = ({ access, excludeFromApi }: Guard, roles: string[]): boolean => excludeFromApi !== true && may(access?.write, roles);

/** Whether something in it is closed. */
function holdsClosed(definition: Definition, isOpen: (part: Guard) => boolean): boolean {
  const parts = definition.type === 'map' ? Object.values(definition.properties ?? {})
    : 'oneOf' in definition ? Object.values(definition.oneOf.properties) : [];
  return parts.some(part => !isOpen(part) || holdsClosed(part, isOpen)) || ('of' in definition && holdsClosed(definition.of, isOpen));
}

function shown(definition: Definition, value: Json, roles: string[]): Json {
  if (!holdsClosed(definition, part => reads(part, roles))) return value;
  if (definition.type === 'map') return isObject(value) ? shownParts(definition.properties ?? {}, value, roles) : null;
  if (!Array.isArray(value)) return null;
  if ('of' in definition) return value.map(item => shown(definition.of, item, roles));
  if (!('oneOf' in definition)) return null;
  const { typeField, valueField, properties } = definition.oneOf;
  return value.map(item => {
    const type = isObject(item) && Object.hasOwn(item, typeField) ? item[typeField] : undefined;
    const part = typeof type === 'object' || type === undefined ? undefined
      : Object.hasOwn(properties, String(type)) ? properties[String(type)]
      : undefined;
    return isObject(item) && part !== undefined ? shownParts({ [valueField]: part }, item, roles) : null;
  });
}
function shownParts(properties: Record<string, Definition>, value: Record<string, Json>, roles: string[]): Json {
  return Object.fromEntries(Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    const part = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return part === undefined ? [[key, item]] : reads(part, roles) ? [[key, shown(part, item, roles)]] : [];
  }));
}

class Refused extends Error {}
const same = (a: Json | undefined, b: Json | undefined): boolean => { try { assert.deepStrictEqual(a,
  b); return true; } catch { return false; } };

function kept(definition: Definition, sent: Json | undefined, stored: Json | undefined, roles: string[]): Json | undefined {
  if (!holdsClosed(definition, part => reads(part, roles) && writes(part, roles))) return sent;
  if (definition.type === 'array') {
    if (sent !== undefined && Array.isArray(stored) && stored.length > 0) throw new Refused();
    return sent === undefined ? stored : sent;
  }
  if (definition.type !== 'map' || !isObject(stored)) return sent;
  const left: Record<string, Json> = isObject(sent) ? { ...sent } : {};
  for (const [key, part] of Object.entries(definition.properties ?? {})) {
    if (!Object.hasOwn(stored, key)) continue;
    const [mine, theirs] = [Object.hasOwn(left, key) ? left[key] : undefined, stored[key]];
    if (!writes(part, roles) && mine !== undefined && !same(mine, theirs)) throw new Refused();
    const value = !writes(part, roles) ? theirs
      : !reads(part, roles) ? mine === undefined ? theirs : mine
      : kept(part, mine, theirs, roles);
    if (value !== undefined) left[key] = value;
  }
  return left;
}

test('closed parts are left out and kept as a model of both says', { timeout: 600_000 }, async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const closedIn = async (definition: Definition, roles: string[]) => {
    const [row] = await sql`
      select service_private.closed_parts(a, ${roles}, 'read') as read, service_private.closed_parts(a, ${roles}, 'replace') as replaced,
      service_private.open_expression('($1::text::jsonb)', service_private.closed_parts(a, ${roles}, 'read')) as expression
      from service_private.value_attributes(${JSON.stringify(definition)}::text::jsonb) a`;
    return row as unknown as { read: Json; replaced: Json; expression: string };
  };
  const cases = definition.chain(definition =>
    fc.tuple(fc.constant(definition), valueOf(definition), valueOf(definition), fc.constantFrom(...ROLES)));
  await t.resolves(fc.assert(fc.asyncProperty(cases, async made => {
    const [definition, stored, sent, roles] = JSON.parse(JSON.stringify(made)) as typeof made; // not of a null prototype
    const { read, replaced, expression } = await closedIn(definition, roles);
    const value = JSON.stringify(stored);
    const [compiled] = await sql.unsafe(`select coalesce(${expression}, 'null') as value,
      coalesce(service_private.open_parts($1::text::jsonb, $2::text::jsonb), 'null') as called`, [value, JSON.stringify(read)]);
    const expected = shown(definition, stored, roles);
    assert.deepStrictEqual(compiled?.['value'] as Json, expected, `compiled: ${expression}`);
    assert.deepStrictEqual(compiled?.['called'] as Json, expected, 'called');

    const left = await sql`select service_private.kept_parts('things', 'f', ${JSON.stringify(sent)}::text::jsonb,
      ${value}::text::jsonb, ${JSON.stringify(replaced)}::text::jsonb) as left`
      .then(([row]) => row?.['left'] as Json, (error: unknown) => { t.match(error, { hint: 'FIELD_NOT_WRITABLE' }); return 'refused'; });
    let wanted: Json;
    try { wanted = kept(definition, sent, stored, roles)
      ?? null; } catch (error) { if (!(error instanceof Refused)) throw error; wanted = 'refused'; }
    if (replaced !== null) assert.deepStrictEqual(left, wanted, 'kept');
  }), random(1500)));
});
