import fc from 'fast-check';
import { test } from 'tap';
import { random } from '../harness/effort.ts';
import { createService, storeTables } from '../harness/service.ts';
import { client, query, serviceKey, user, type Client } from './client.ts';
import { aggregate, byKeys, compare, found, holds, shown, type Key } from './differential/model.ts';
import { data, FIELDS, keyOf, load, related, setup, type Row, type World } from './differential/world.ts';
import { asks, type Ask, type Probe } from './differential/requests.ts';
import { nameOf, narrowingOf, orderText, routeOf, shownText } from './differential/spelling.ts';

// Random requests over a real database, answered by the service and by a model of what they mean.


type Seen = { world: World; reading: Client };
/** One request below the route of an ask, and what it answered. */
type Answers = (suffix: string, parameters: string[], expectedStatus?: number) => Promise<any>;

/** Refuses what differs, naming the request. */
class Difference extends Error {}

async function agrees({ world, reading }: Seen, ask: Ask): Promise<void> {
  let last = '';
  const answer: Answers = async (suffix, parameters, expectedStatus = 200) => {
    last = `${routeOf(ask)}${suffix}?${parameters.filter(part => part !== '').join('&')}`;
    const { status, body, text } = await reading.read(last);
    if (status !== expectedStatus) throw new Difference(`${status} instead of ${expectedStatus}: ${text}`);
    return body;
  };
  try {
    await probe(world, ask, answer);
  } catch (error) {
    throw error instanceof Difference
      ? new Difference(`${error.message}\n${ask.asReader ? 'reader' : 'service key'}: ${decodeURIComponent(last)}\n${last}`)
      : error;
  }
}

async function probe(world: World, ask: Ask, answer: Answers): Promise<void> {
  const { collection, node, search, probe } = ask;
  const rows = reachedBy(world, ask);
  const narrowed = found(world, collection, search ? rows.filter(row => holds(row, search)) : rows, node);
  switch (probe.kind) {
    case 'walk': return walk(world, ask, probe, narrowed, answer);
    case 'window': return window(world, ask, probe, narrowed, answer);
    case 'count': return same((await answer('/count', narrowingOf(ask))).count, narrowed.length, 'the count');
    case 'distinct': return distinct(ask, probe, narrowed, answer);
    case 'aggregate': return aggregates(ask, probe, narrowed, answer);
    case 'get': {
      const all = world.rows[collection] ?? [];
      const row = probe.at % 4 === 0 || rows.length === 0 ? all[probe.at % all.length] : rows[probe.at % rows.length];
      const id = row?.[keyOf(collection)] as number;
      const there = row && rows.includes(row);
      const body = await answer(`/${id}`, shownText(node), there ? 200 : 404);
      if (there) same(body, shown(world, collection, row, node), 'the row');
    }
  }
}

/** The rows of the collection, or those that a path leads to while each of its links holds. */
function reachedBy(world: World, { path, collection }: Ask): Row[] {
  const [first] = path;
  if (!first) return world.rows[collection] ?? [];
  return path.reduce((rows, step) => {
    const row = rows.find(row => row[keyOf(step.collection)] === step.id);
    return row ? related(world, step.collection, row, step.relation) : [];
  }, world.rows[first.collection] ?? []);
}

/** By cursor to the end; where rows carry others along, two pages. */
async function walk(world: World, ask: Ask, { restate }: Probe & { kind: 'walk' }, whole: Row[], answer: Answers): Promise<void> {
  const { node, collection } = ask;
  const alone = Object.keys(node.include).length === 0 && !node.all;
  const limit = alone ? Math.min(1000, Math.max(node.limit ?? 1, Math.ceil(whole.length / 6))) : Math.min(node.limit ?? 1, 5);
  const order = orderText(node.keys, node.spelling);
  const common = [...narrowingOf(ask), ...shownText(node), `limit=${limit}`];
  let after: string[] = order;
  for (let from = 0; from === 0 || from < whole.length; from += limit) {
    const { data, meta } = await answer('', [...common, ...after]);
    same(data, whole.slice(from, from + limit).map(row => shown(world, collection, row, node)), `the page from ${from}`);
    const hasMore = from + limit < whole.length;
    same({ ...meta, nextCursor: typeof meta.nextCursor },
      { total: whole.length, limit, offset: 0, hasMore, nextCursor: hasMore ? 'string' : 'undefined' }, `meta of the page from ${from}`);
    if (!alone && from > 0) break;
    after = [`after=${meta.nextCursor}`, ...(restate ? order : [])];
  }
}

async function window(world: World, ask: Ask, { page, at }: Probe & { kind: 'window' }, whole: Row[], answer: Answers): Promise<void> {
  const { node, collection } = ask;
  const limit = Object.keys(node.include).length === 0 && !node.all ? node.limit ?? 1 : Math.min(node.limit ?? 1, 5);
  const offset = page ? at % 7 * limit : at;
  const { data, meta } = await answer('', [...narrowingOf(ask), ...orderText(node.keys,
    node.spelling), ...shownText(node), `limit=${limit}`, page ? `page=${at % 7 + 1}&offset=${at}` : `offset=${at}`]);
  same(data, whole.slice(offset, offset + limit).map(row => shown(world, collection, row, node)), `the page at ${offset}`);
  same({ ...meta, nextCursor: undefined }, { total: whole.length, limit, offset, hasMore: offset + limit < whole.length },
    `meta of the page at ${offset}`);
}

/** In no certain order where its keys leave one open, but on pages that together are the whole. */
async function distinct(ask: Ask, { fields }: Probe & { kind: 'distinct' }, narrowed: Row[], answer: Answers): Promise<void> {
  const { node } = ask;
  const keys = node.keys.filter(({ field }) => fields.includes(field));
  const whole = [
    ...new Map(narrowed.map(row => Object.fromEntries(fields.map(field => [field, row[field]]))).map(row =>
      [JSON.stringify(row), row])).values(),
  ];
  const limit = Math.min(1000, Math.max(node.limit ?? 1, Math.ceil(whole.length / 4)));
  const read: Row[] = [];
  for (let offset = 0; offset === 0 || offset < whole.length; offset += limit) {
    const { data, meta } = await answer('', [...narrowingOf(ask), ...orderText(keys,
      0), query({ distinct: 'true', fields: fields.join(',') }), `limit=${limit}`, `offset=${offset}`]);
    read.push(...data);
    same(meta, { total: whole.length, limit, offset, hasMore: offset + limit < whole.length }, `meta of the distinct page at ${offset}`);
  }
  const values = (rows: Row[]) => rows.map(row => keys.map(({ field }) => row[field] as unknown));
  same(values(read), values(whole.toSorted(byKeys<Row>(keys, (row, { field }) => row[field]))), 'the order of the distinct rows');
  const texts = (rows: Row[]) => rows.map(canonical).sort();
  same(texts(read), texts(whole), 'the distinct rows');
}

async function aggregates(
  ask: Ask, { select, groupBy, sort, limit, offset }: Probe & { kind: 'aggregate' }, narrowed: Row[], answer: Answers,
): Promise<void> {
  const alias = ({ fn, field }: (typeof select)[number]) => field === undefined ? fn : `${fn}_${field}`;
  const groups = groupBy.length === 0
    ? [narrowed]
    : [...Map.groupBy(narrowed, row => JSON.stringify(groupBy.map(field => row[field] as unknown))).values()];
  const rows = groups.map(group => Object.fromEntries([
    ...groupBy.map(field => [field, group[0]?.[field]]),
    ...select.map(entry => [alias(entry), aggregate(entry.fn,
      entry.field === undefined ? group : group.map(row => row[entry.field ?? '']).filter(value => value !== null))]),
  ])) as Row[];
  const sortable = [...groupBy, ...select.filter(({ fn }) => fn !== 'avg').map(alias)];
  const keys = groupBy.length === 0 || sortable.length === 0
    ? []
    : sort.map(({ at, direction, nulls }): Key => ({ field: sortable[at % sortable.length] ?? '', direction, ...(nulls && { nulls }) }));
  rows.sort(byKeys<Row>([...keys, ...groupBy.map(field => ({ field, direction: 'asc' as const }))], (row, { field }) => row[field]));
  const { data } = await answer('/aggregate', [
    ...narrowingOf(ask),
    query({ select: select.map(({ fn, field = '' }) => `${fn}(${field})`).join(','), ...(groupBy.length > 0
      && { groupBy: groupBy.map(field => nameOf(field, limit)).join(','), limit: String(limit), offset: String(offset) }) }),
    ...orderText(keys, ask.node.spelling),
  ]);
  const rounded = (list: Row[]) => list.map(row => Object.fromEntries(Object.entries(row).map(([name, value]) =>
    [name, name.startsWith('avg_') && value !== null ? Number(value).toPrecision(10) : value as unknown])));
  same(rounded(data), rounded(groupBy.length === 0 ? rows : rows.slice(offset, offset + limit)), 'the aggregates');
}

/** As text in which the order of an object's names does not count. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => typeof part === 'object' && part !== null && !Array.isArray(part)
    ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => compare(a, b))) : part);
}

function same(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [canonical(actual), canonical(expected)];
  if (a === b) return;
  const at = Math.max(0, Array.from({ length: Math.min(a.length, b.length) }, (_, i) => i).findIndex(i => a[i] !== b[i]) - 100);
  throw new Difference(`${what} differs: …${a.slice(at, at + 300)}… is not …${b.slice(at, at + 300)}…`);
}

async function store(t: Parameters<typeof createService>[0] & Parameters<typeof client>[0]): Promise<{ asAdmin: Seen; asReader: Seen }> {
  const service = await createService(t, { template: data.template, env: storeTables, setup });
  const reader = await user('reader');
  return {
    asAdmin: { world: await load(service, serviceKey), reading: client(t, service) },
    asReader: { world: await load(service, reader), reading: client(t, service, reader) },
  };
}

test('random requests are answered as the model answers them', { timeout: 0 }, async t => {
  const { asAdmin, asReader } = await store(t);
  await fc.assert(fc.asyncProperty(asks(asAdmin.world), ask => agrees(ask.asReader ? asReader : asAdmin, ask)), random(500));
  const sizes = (world: World) => Object.keys(FIELDS).map(collection => world.rows[collection]?.length ?? 0);
  t.ok(sizes(asAdmin.world).every(size => size > 0) && sizes(asReader.world).some((size, i) => size < (sizes(asAdmin.world)[i] ?? 0)),
    'there were rows, and some of them hidden');
});

test('the model is awake: a request it misreads is noticed', async t => {
  const { asAdmin, asReader } = await store(t);
  const { collection, field, order } = data.nullable;
  const ask: Ask = {
    asReader: false, path: [], collection, search: undefined, probe: { kind: 'walk', restate: false },
    node: {
      leaves: [{ field, op: 'isnull', value: null, spelling: 0 }], group: undefined, keys: [{ field: order, direction: 'desc' }],
      limit: 5, fields: undefined, include: {}, all: false, spelling: 0,
    },
  };
  await agrees(asAdmin, ask);
  await t.rejects(agrees({ world: asReader.world, reading: asAdmin.reading }, ask), { message: /the page from 0 differs/ },
    'rows that the model believes hidden');
  const edited = structuredClone(asAdmin.world);
  for (const row of edited.rows[collection] ?? []) row[field] ??= '';
  await t.rejects(agrees({ world: edited, reading: asAdmin.reading }, ask), { message: /differs/ }, 'values that the model has otherwise');
});
