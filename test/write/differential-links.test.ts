import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'tap';
import { random, runs } from '../harness/effort.ts';
import { collections, createWriter, type Writer } from './client.ts';

// Random writes of related rows, done over HTTP in one set of tables, from psql in another, and by a model in memory.

type Step =
  | { op: 'set'; parent: number; children?: number[]; tags?: { id: number; rank?: number }[] }
  | { op: 'make' | 'change' | 'drop'; parent: number; relation: 'children' | 'tags'; id: number }
  | { op: 'rank'; parent: number; id: number; rank: number };
type Model = { children: Map<number, number | null>; tags: Set<number>; links: Map<string, number> };
type Outcome = 'done' | 'NOT_FOUND' | 'PG_23503' | 'PG_23505' | 'VALIDATION_CONSTRAINT';

const PARENTS = [1, 2, 3];
const MOST = 9;
const SIDES = ['http', 'psql'] as const;
type Side = typeof SIDES[number];

function files(side: Side) {
  const [securityRules, id] = [[{ operation: 'all', access: 'public' }], { type: 'number', isId: 'manual' }];
  const through = {
    table: `${side}_links`, sourceColumn: 'parent_id', targetColumn: 'tag_id',
    properties: { rank: { type: 'number', columnType: 'integer', defaultValue: 1, validation: { max: MOST } } },
  };
  return [
    {
      slug: `${side}_parents`, securityRules, properties: {
        id, name: { type: 'string' },
        children: { type: 'relation', relation: { kind: 'hasMany', target: `${side}_children`, foreignKeyOnTarget: 'parent_id' } },
        tags: { type: 'relation', relation: { kind: 'manyToMany', target: `${side}_tags`, through } },
      },
    },
    { slug: `${side}_children`, securityRules, properties: { id, name: { type: 'string' } } },
    { slug: `${side}_tags`, securityRules, properties: { id, name: { type: 'string' } } },
  ];
}

function modelled(model: Model, step: Step): Outcome {
  const isThere = PARENTS.includes(step.parent);
  if (step.op === 'set') {
    if (step.tags?.some(({ rank = 0 }) => rank > MOST)) return 'VALIDATION_CONSTRAINT';
    if (!isThere) return 'NOT_FOUND';
    if (step.children?.some(id => !model.children.has(id)) || step.tags?.some(({ id }) => !model.tags.has(id))) return 'PG_23503';
    if (step.children) for (const [id, parent] of model.children) {
      model.children.set(id, step.children.includes(id) ? step.parent : parent === step.parent ? null : parent);
    }
    if (step.tags) {
      const ranks = new Map(step.tags.map(({ id, rank }) => [`${step.parent} ${id}`, rank]));
      for (const link of model.links.keys()) if (link.startsWith(`${step.parent} `) && !ranks.has(link)) model.links.delete(link);
      for (const [link, rank] of ranks) model.links.set(link, rank ?? model.links.get(link) ?? 1);
    }
    return 'done';
  }
  const link = `${step.parent} ${step.id}`;
  if (step.op === 'rank') {
    if (step.rank > MOST) return 'VALIDATION_CONSTRAINT';
    if (!model.links.has(link)) return 'NOT_FOUND';
    model.links.set(link, step.rank);
    return 'done';
  }
  if (!isThere) return 'NOT_FOUND';
  const rows = model[step.relation];
  if (step.op === 'make') {
    if (rows.has(step.id)) return 'PG_23505';
    if (step.relation === 'children') model.children.set(step.id, step.parent);
    else model.tags.add(step.id);
    if (step.relation === 'tags') model.links.set(link, 1);
    return 'done';
  }
  const isLinked = step.relation === 'children' ? model.children.get(step.id) === step.parent : model.links.has(link);
  if (step.op === 'change' && step.relation === 'tags') {
    if (!rows.has(step.id)) return 'NOT_FOUND';
    if (!isLinked) model.links.set(link, 1);
    return 'done';
  }
  if (!isLinked) return 'NOT_FOUND';
  if (step.op === 'drop' && step.relation === 'children') model.children.delete(step.id);
  if (step.op === 'drop' && step.relation === 'tags') model.links.delete(link);
  return 'done';
}

const setBody = ({ children, tags }: Step & { op: 'set' }) => ({
  ...(children && { children }), ...(tags && { tags: tags.map(({ id, rank }) => rank === undefined ? id : { id, _pivot: { rank } }) }),
});

async function overHttp({ send }: Writer, step: Step): Promise<Outcome> {
  const parent = `http_parents/${step.parent}`;
  const { status, body } = step.op === 'set' ? await send('PATCH', parent, setBody(step))
    : step.op === 'rank' ? await send('PATCH', `${parent}/tags/${step.id}`, { _pivot: { rank: step.rank } })
    : step.op === 'make' ? await send('POST', `${parent}/${step.relation}`, { id: step.id })
    : step.op === 'change' ? await send('PATCH', `${parent}/${step.relation}/${step.id}`, step.id % 2 === 0 ? {} : { name: 'x' })
    : await send('DELETE', `${parent}/${step.relation}/${step.id}`);
  return status < 300 ? 'done' : body.error.code;
}

async function fromPsql({ sql }: Writer, step: Step): Promise<Outcome> {
  const [collection, parent, id] = ['psql_parents', String(step.parent), step.op === 'set' ? '' : String(step.id)];
  const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`;
  try {
    if (step.op === 'set') await sql`select service.update(${collection}, ${parent}, ${json(setBody(step))})`;
    else if (step.op === 'rank') await sql`select service.update_related(${collection}, ${parent},
      'tags', ${id}, ${json({ _pivot: { rank: step.rank } })})`;
    else if (step.op === 'make') await sql`select service.create_related(${collection}, ${parent},
      ${step.relation}, ${json({ id: step.id })})`;
    else if (step.op === 'change') await sql`select service.update_related(${collection}, ${parent},
      ${step.relation}, ${id}, ${json(step.id % 2 === 0 ? {} : { name: 'x' })})`;
    else await sql`select service.remove_related(${collection}, ${parent}, ${step.relation}, ${id})`;
    return 'done';
  } catch (error) {
    const { code, hint } = error as { code: string; hint?: string };
    return (code.startsWith('GW') ? hint : `PG_${code}`) as Outcome;
  }
}

async function stored({ sql }: Writer, side: Side): Promise<Model> {
  const [children, tags, links] = await Promise.all([
    sql<{ id: string; parent: string | null }[]>`select id::text, parent_id::text as parent from ${sql(`${side}_children`)} order by id`,
    sql<{ id: string }[]>`select id::text from ${sql(`${side}_tags`)} order by id`,
    sql<{ link: string; rank: number }[]>`select concat(parent_id, ' ', tag_id) as link, rank from ${sql(`${side}_links`)} order by 1`,
  ]);
  return {
    children: new Map(children.map(row => [Number(row.id), row.parent === null ? null : Number(row.parent)])),
    tags: new Set(tags.map(row => Number(row.id))), links: new Map(links.map(row => [row.link, row.rank])),
  };
}

const sorted = ({ children, tags, links }: Model) =>
  ({ children: [...children].sort((a, b) => a[0] - b[0]), tags: [...tags].sort(), links: [...links].sort() });

const parent = fc.integer({ min: 1, max: 4 });
const id = fc.integer({ min: 1, max: 6 });
const rank = fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: MOST }) }, { weight: 1, arbitrary: fc.constant(MOST + 1) });
const relation = fc.constantFrom('children' as const, 'tags' as const);
const listed = fc.uniqueArray(fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 4 }) }, { weight: 1, arbitrary: fc.constant(9) }),
  { maxLength: 4 });
const steps = fc.array(fc.oneof(
  { weight: 3, arbitrary: fc.record({
    op: fc.constant('set' as const), parent, children: listed,
    tags: listed.chain(ids => fc.tuple(...ids.map(id => fc.oneof(fc.constant({ id }), rank.map(rank => ({ id, rank })))))),
  }, { requiredKeys: ['op', 'parent'] }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constantFrom('make' as const, 'change' as const, 'drop' as const), parent, relation, id }) },
  fc.record({ op: fc.constant('rank' as const), parent, id, rank }),
), { minLength: 4, maxLength: Math.max(5, runs(25)) });

test('random writes of related rows leave and answer what the model says, over HTTP and from psql', { timeout: 900_000 }, async t => {
  const writer = await createWriter(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, ...SIDES.flatMap(files)) } });
  const counts = new Map<string, number>();
  await t.resolves(fc.assert(fc.asyncProperty(steps, async given => {
    for (const side of SIDES) {
      await writer.sql`truncate ${writer.sql(`${side}_parents`)}, ${writer.sql(`${side}_children`)},
        ${writer.sql(`${side}_tags`)}, ${writer.sql(`${side}_links`)}`;
      await writer.sql`insert into ${writer.sql(`${side}_parents`)} (id) select generate_series(1, 3)`;
      for (const table of ['children', 'tags']) {
        await writer.sql`insert into ${writer.sql(`${side}_${table}`)} (id) select generate_series(1, 4)`;
      }
    }
    const model: Model = { children: new Map([1, 2, 3, 4].map(child => [child, null])), tags: new Set([1, 2, 3, 4]), links: new Map() };
    for (const step of given) {
      const told = JSON.stringify({ step, before: sorted(model) });
      const expected = modelled(model, step);
      assert.equal(await overHttp(writer, step), expected, `HTTP: ${told}`);
      assert.equal(await fromPsql(writer, step), expected, `psql: ${told}`);
      for (const side of SIDES) assert.deepEqual(sorted(await stored(writer, side)), sorted(model), `stored ${side}: ${told}`);
      counts.set(`${step.op} ${expected}`, (counts.get(`${step.op} ${expected}`) ?? 0) + 1);
    }
  }), random(60)));
  t.comment([...counts].sort().map(([kind, n]) => `${kind}: ${n}`).join(', '));
  t.ok([...counts.keys()].some(kind => kind.endsWith('done')) && [...counts.keys()].some(kind => !kind.endsWith('done')),
    'some were done, some refused');
});
