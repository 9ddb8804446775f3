import { test } from 'tap';
import { lendService } from '../harness/lend.ts';
import type { TestService } from '../harness/service.ts';
import { PLANNERS } from './isolation-planners.ts';
import { asker } from './isolation-model.ts';
import { planOf, scans, ungatedScansOfWrite } from './isolation-plan-walk.ts';
import { ROWS, TABLES } from './isolation-tables.ts';

const WRITES: [collection: string, body: Record<string, unknown>][] = [
  ['folders', { ownerUid: 'caller 1', name: 'mine', shared: false }],
  ['notes', { folderId: 3, ownerUid: 'caller 1', title: 'mine', priority: 1 }],
  ['tags', { team: 'team 1', name: 'mine' }],
  ['letters', { noteId: 13, senderUid: 'caller 2', grade: 1, forGuests: true }],
];
/** An idempotency key is asked for by the gate, and its answer kept by what comes last. */
const KEYED = [{}, { key: true }];
const { claims: CLAIMS } = asker('caller 1', [], false, 'team 1');

async function fastPath(
  { sql }: TestService, op: 'create' | 'update' | 'delete', collection: string, body: Record<string, unknown>, more: object = {},
): Promise<string> {
  const shape = JSON.stringify({ op, collection, body: Object.keys(body), ...more });
  const [row] = await sql<{ fast: string }[]>`select service_private.write_plan(${shape}::text::jsonb, '{}') ->> 'fastPath' as fast`;
  return row?.fast ?? '';
}

test('in every plan of an update or a delete in one statement the gate is a One-Time Filter above each scan of a table', async t => {
  const service = await lendService(t, { template: 'served', setup: TABLES + ROWS });
  const writes = WRITES.flatMap(([collection, body]) =>
    KEYED.flatMap(more => [['update', collection, body, more], ['delete', collection, {}, more]] as const));
  for (const [op, collection, body, more] of writes) {
    const text = await fastPath(service, op, collection, body, more);
    const parameters = [...CLAIMS, JSON.stringify({ body }), '13'];
    for (const settings of PLANNERS) {
      const plan = await planOf(service.sql, text, parameters, settings);
      t.ok(scans(plan).includes(`public.${collection}`), `${op} ${collection}`);
      t.same(ungatedScansOfWrite(plan), [], `${collection} ${JSON.stringify(settings)}`);
      const open = text.replace(/\(select c\.ok from ctx c\)\s+and /, '');
      t.not(ungatedScansOfWrite(await planOf(service.sql, open, parameters, settings)).length, 0, 'and it would be noticed');
    }
  }
});

test('in every plan of a create in one statement no table is read before the row that the gate lets through', async t => {
  const service = await lendService(t, { template: 'served', setup: TABLES + ROWS });
  for (const [collection, body, more] of WRITES.flatMap(write => KEYED.map(more => [...write, more] as const))) {
    const sent = { id: 10_000, ...body };
    const text = await fastPath(service, 'create', collection, sent, more);
    t.match(text, /\swhere ctx\.ok\s+and /);
    for (const settings of PLANNERS) {
      t.same(ungatedScansOfWrite(await planOf(service.sql, text, [...CLAIMS, JSON.stringify({ body: sent })], settings)), [], collection);
    }
  }
});

test('in every plan of a bulk write the gate stands above each scan of a table, and opens only to a caller who has entered',
  async t => {
    const service = await lendService(t, { template: 'served', setup: TABLES + ROWS });
    const items = {
      create: (body: object) => ({ rows: [{ id: 10_000, ...body }] }), update: (body: object) => ({ updates: [{ id: 13, data: body }] }),
      delete: () => ({ ids: [13] }),
    };
    for (const [collection, body, more] of WRITES.flatMap(write => KEYED.map(more => [...write, more] as const))) {
      for (const [op, list, apart] of [['create', 'rows', false], ['update', 'updates', true], ['delete', 'ids', false]] as const) {
        const sent = op === 'create' ? { id: 10_000, ...body } : op === 'update' ? body : {};
        const text = await fastPath(service, op, collection, sent, { ...more, bulk: { list, ...(apart && { apart }) } });
        t.match(text, /cross join lateral jsonb_array_elements\(ctx\.items\)[^)]*\)\s+where ctx\.ok\s/, `${op} ${collection}`);
        const parameters = [...CLAIMS, JSON.stringify({ body: items[op](body) })];
        for (const settings of PLANNERS) {
          const plan = await planOf(service.sql, text, parameters, settings);
          t.same(ungatedScansOfWrite(plan, 'sound'), [], `${op} ${collection} ${JSON.stringify(settings)}`);
          if (op === 'create') continue;
          t.ok(scans(plan).includes(`public.${collection}`), `${op} ${collection}`);
          const open = text.replace(/\(select s\.ok from sound s\)\s+and /, '');
          t.not(ungatedScansOfWrite(await planOf(service.sql, open, parameters, settings), 'sound').length, 0, 'and it would be noticed');
        }
      }
    }
  });

test('in every plan of a write through a path in one statement the gate stands above each scan of a table', async t => {
  const service = await lendService(t, { template: 'served', setup: TABLES + ROWS });
  for (const [op, path, body] of [
    ['create', ['folders', 1, 'notes'], { id: 10_000, ownerUid: 'caller 1', title: 'mine', priority: 1 }],
    ['update', ['folders', 1, 'notes'], { title: 'new' }], ['delete', ['folders', 1, 'notes'], {}],
    ['create', ['folders', 1, 'notes', 3, 'letters'], { id: 10_000, senderUid: 'caller 2', forGuests: true }],
    ['update', ['folders', 1, 'notes', 3, 'letters'], { grade: 2 }],
  ] as const) {
    const text = await fastPath(service, op, path.at(-1) as string, body, { path });
    const ids = ['folders', '3', 'notes', '13', 'letters', '13'].slice(0, path.length + (op === 'create' ? 0 : 1));
    const parameters = [...CLAIMS, JSON.stringify({ path: ids, body }), ...(op === 'create' ? [] : ['13'])];
    for (const settings of PLANNERS) {
      const plan = await planOf(service.sql, text, parameters, settings);
      t.ok(scans(plan).includes('public.folders'), `${op} ${path.join('/')}`);
      t.same(ungatedScansOfWrite(plan), [], `${op} ${path.join('/')} ${JSON.stringify(settings)}`);
      const open = text.replaceAll(/\(select c\.ok from ctx c\)\s+and /g, '');
      t.not(ungatedScansOfWrite(await planOf(service.sql, open, parameters, settings)).length, 0, 'and it would be noticed');
    }
  }
});
