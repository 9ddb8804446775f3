import { any, bool, either, list, name, object, oneOf } from '../../json/json-schema.ts';

const comparison = object('', {
  prop: name('Property.'),
  op: oneOf('', '=', '!=', '<', '<=', '>', '>=', 'in', 'is null', 'is not null'),
  value: any('What it is compared with.'),
}, ['prop', 'op']);

const key = either('', 'a property or {prop, direction, nulls}', { type: 'string', minLength: 1 }, object('', {
  prop: name(''), direction: oneOf('', 'asc', 'desc'), nulls: oneOf('', 'first', 'last'),
}, ['prop']));

export const index = object('An index.', {
  on: list('One to five properties.', key, { minItems: 1, maxItems: 5 }),
  reason: name('Why it is there, for reviewers.'),
  using: oneOf('Access method; default btree.', 'btree', 'gin', 'brin'),
  where: either(
    'Only the rows for which this holds.',
    '{prop, op, value} or {and: [...]}',
    comparison,
    object('', { and: list('', comparison, { minItems: 1 }) }, ['and']),
  ),
  unique: bool('No two rows agree in all of them.', false),
  include: list('Further properties that are kept in the index.', { type: 'string', minLength: 1 }),
}, ['on', 'reason']);
