import fc from 'fast-check';
import { runs } from '../../harness/effort.ts';
import type { Write } from './model.ts';

/** One request: a row, rows of one kind, or operations of any. Relations are a further kind. */
export type Step =
  | { kind: 'one'; write: Write }
  | { kind: 'bulk'; op: Write['op']; writes: Write[] }
  | { kind: 'batch'; writes: Write[] };

/** Few, so that they meet. */
const id = fc.integer({ min: 1, max: 5 });
const code = fc.constantFrom('a', 'b', 'c', null);
const price = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 0, max: 10 }) }, { weight: 1, arbitrary: fc.constantFrom(-1, 11, null) });
const tags = fc.oneof({ weight: 5, arbitrary: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(['x', 'x', 'y'], null) });
const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom('n', 'nn', 'nnn') }, { weight: 1, arbitrary: fc.constantFrom('', 'nnnn') });
const stamp = fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant('2026-01-01T00:00:00.000Z') });

const created = fc.record({ id, code, name, price, tags }, { requiredKeys: ['id'] }).chain(values =>
  fc.oneof({ weight: 5, arbitrary: fc.constant({ name: 'n', ...values }) }, { weight: 1, arbitrary: fc.constant(values) }));
const create = created.map((values): Write => ({ op: 'create', values }));
const upsert = fc.record({
  op: fc.constant('create' as const), values: created, upsert: fc.constantFrom<('id' | 'code')[]>(['id'], ['code']),
});
const operated = {
  price: fc.integer({ min: -4, max: 4 }).map($inc => ({ $inc })), tags: fc.constantFrom({ $push: 'x' }, { $push: 'y' }, { $pull: 'x' }),
};
const changed = fc.record({ code, name, price: fc.oneof(price, operated.price), tags: fc.oneof(tags, operated.tags), deletedAt: stamp },
  { requiredKeys: [] })
  .chain(({ deletedAt, ...values }) =>
    fc.integer({ min: 0, max: 5 }).map(n => ({ ...values, ...(n === 0 && deletedAt !== undefined && { deletedAt }) })));
const update = fc.record({ op: fc.constant('update' as const), id, values: changed, moves: fc.integer({ min: 0, max: 40 }) })
  .map(({ moves, ...one }): Write => moves > 5 ? one : { ...one, values: { ...one.values, id: moves } });
const restore = id.map((id): Write => ({ op: 'update', id, values: { deletedAt: null } }));
const remove = fc.record({ op: fc.constant('delete' as const), id });
const removeHard = remove.map((one): Write => ({ ...one, hard: true }));

/** In a bulk of one statement rows are not written in the order in which they would leave each other their codes. */
const withoutCode = (one: Write): Write => one.op !== 'update' ? one
  : { ...one, values: Object.fromEntries(Object.entries(one.values).filter(([name]) => name !== 'code')) };
const many = (one: fc.Arbitrary<Write>) => fc.array(one, { minLength: 1, maxLength: 4 });
const bulk = (op: Write['op'], one: fc.Arbitrary<Write>) => many(one).map((writes): Step => ({ kind: 'bulk', op, writes }));

const operations = fc.array(fc.tuple(fc.oneof(create, upsert, update, restore, remove), fc.integer({ min: 0, max: 3 })),
  { minLength: 1, maxLength: 5 })
  .map((given): Step => ({ kind: 'batch', writes: given.map(([one, earlier], n): Write => one.op === 'create' ? { ...one, ref: `r${n}` }
    : given[earlier]?.[0].op === 'create' && earlier < n && n % 2 === 0 ? { ...one, id: { $ref: `r${earlier}.id` } } : one) }));

export const steps = fc.array(fc.oneof(
  {
    weight: 8,
    arbitrary: fc.oneof(create, create, upsert, update, update, restore, remove, removeHard).map((write): Step => ({ kind: 'one', write })),
  },
  bulk('create', create),
  upsert.chain(({ upsert: target }) => bulk('create', upsert.map(one => ({ ...one, upsert: target })))),
  bulk('update', update.map(withoutCode)), bulk('delete', remove), bulk('delete', removeHard),
  { weight: 3, arbitrary: operations },
), { minLength: 3, maxLength: Math.max(5, runs(25)) });
