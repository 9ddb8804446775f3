import { test } from 'tap';
import type { CatalogDocument } from '../../gateway/catalog/document.ts';
import { safeValues } from '../../gateway/catalog/safe-values.ts';
import type { ReadShape } from '../../gateway/grammar/read/shape.ts';

const TYPES = {
  i: 'integer', s: 'smallint', b: 'bigint', n: 'numeric', u: 'uuid', d: 'date', z: 'timestamp with time zone', t: 'text', j: 'jsonb',
  e: 'mood',
};
const document = {
  collections: [
    { slug: 'rows', key: ['i'], properties: Object.entries(TYPES).map(([name, sqlType]) => ({ name, sqlType })), relations: [] },
    { slug: 'triples', key: ['t', 'x', 'i'], properties: ['t', 'x'].map(name => ({ name, sqlType: 'text' })).concat({ name: 'i',
      sqlType: 'integer' }), relations: [] },
  ],
} as unknown as Pick<CatalogDocument, 'collections'>;

const list = (where: ReadShape['where'], more: Partial<ReadShape> = {}): ReadShape =>
  ({ op: 'list', path: ['rows'], where: where ?? {}, ...more });
const isSafe = (shape: ReadShape, ...values: string[]) => safeValues(shape, document)(values);

test('values that are surely of their type', t => {
  const safe: [keyof typeof TYPES, string][] = [
    ['i', '1'], ['i', '-999999999'], ['s', '9999'], ['b', '123456789012345678'], ['n', '-1.50'],
    ['u', '00000000-0000-4000-8000-000000000001'], ['d', '2024-02-28'], ['d', '2024-12-31'], ['d', '2024-04-30'],
    ['z', '2024-04-30T23:59:59.123Z'], ['t', ''], ['t', 'x\n\\"'],
  ];
  const unsafe: [keyof typeof TYPES, string][] = [
    ['i', 'x'], ['i', ''], ['i', '1 '], ['i', '1\n'], ['i', '2147483648'], ['s', '32768'], ['b', '9223372036854775808'], ['n', 'NaN'],
    ['n', '1e5'], ['u', '00000000'], ['d', '2024-02-30'], ['d', '2024-02-29'], ['d', '2024-04-31'], ['d', '0000-01-01'], ['d', 'today'],
    ['z', '2024-04-30'], ['z', '2024-04-30T24:00:00Z'], ['j', '{}'], ['e', 'sad'],
  ];
  for (const [name, value] of safe) t.equal(isSafe(list({ [name]: [['==', 6]] }), value), true, `${name} ${value}`);
  for (const [name, value] of unsafe) t.equal(isSafe(list({ [name]: [['==', 6]] }), value), false, `${name} ${value}`);
  t.equal(isSafe(list({ i: [['in', [6]]] }), '{"1","-2"}'), true);
  for (const items of ['{"1","x"}', '{1}', '{"1",null}', '', '{"1"']) t.equal(isSafe(list({ i: [['in', [6]]] }), items), false, items);
  t.equal(isSafe(list({ t: [['in', [6]]] }), '{"a",null}'), true);
  t.end();
});

test('values that nothing vouches for', t => {
  t.equal(isSafe(list({ 'j->$6': [['==', 7]] }), 'a', 'b'), false, 'a path in JSON');
  t.equal(isSafe(list({ none: [['==', 6]] }), '1'), false);
  t.equal(isSafe(list({ i: [['>', 6]] }), '1'), false, 'its time depends on the value');
  t.equal(isSafe(list({ t: [['ilike', 6]] }), 'a'), false);
  t.equal(isSafe(list({}, { include: { other: { where: { i: [['==', 6]] } } } }), '1'), false);
  t.equal(isSafe(list({}, { include: { other: { limit: 6 } } }), '5'), true);
  t.equal(isSafe(list({}, { limit: { param: 6, bucket: 64 }, offset: 7 }), '50', '100'), true);
  t.equal(isSafe(list({}, { limit: { param: 6, bucket: 64 }, offset: 7 }), '50', '5000000'), false);
  t.equal(isSafe(list({}, { logical: { type: 'or', conditions: [
    { column: 'i', condition: ['==', 6] }, { type: 'and', conditions: [{ column: 's', condition: ['==', 7] }] }] } }), '1', 'x'), false);
  t.equal(isSafe({ op: 'count', path: ['rows'] }), false, 'without values there is nothing to tell them apart by');
  t.end();
});

test('ids of several parts, and hostile ones', t => {
  const get: ReadShape = { op: 'get', path: ['triples', 6] };
  t.equal(isSafe(get, 'a:::b:::1'), true);
  for (const id of ['a:::b', 'a:::b:::x', 'a:::b:::1:::2', 'a%25:::b:::1', '', ':::']) t.equal(isSafe(get, id), false, id);
  t.equal(isSafe(get, `${':::'.repeat(5000)}x`), false, 'at once');
  t.equal(isSafe({ op: 'get', path: ['rows', 6] }, '7'), true);
  t.end();
});
