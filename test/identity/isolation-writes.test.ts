import { test } from 'tap';
import { createService, type TestService } from '../harness/service.ts';
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
const { claims: CLAIMS } = asker('caller 1', [], false, 'team 1');

async function fastPath({ sql }: TestService, op: 'create' | 'update' | 'delete', collection: string, body: Record<string, unknown>): Promise<string> {
  const shape = JSON.stringify({ op, collection, body: Object.keys(body) });
  const [row] = await sql<{ fast: string }[]>`select service.write_plan(${shape}::text::jsonb, '{}') ->> 'fastPath' as fast`;
  return row?.fast ?? '';
}

test('in every plan of an update or a delete in one statement the gate is a One-Time Filter above each scan of a table', async t => {
  const service = await createService(t, { template: 'served', setup: TABLES + ROWS });
  for (const [op, collection, body] of WRITES.flatMap(([collection, body]) => [['update', collection, body], ['delete', collection, {}]] as const)) {
    const text = await fastPath(service, op, collection, body);
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
  const service = await createService(t, { template: 'served', setup: TABLES + ROWS });
  for (const [collection, body] of WRITES) {
    const sent = { id: 10_000, ...body };
    const text = await fastPath(service, 'create', collection, sent);
    t.match(text, /\swhere ctx\.ok\s+and /);
    for (const settings of PLANNERS) t.same(ungatedScansOfWrite(await planOf(service.sql, text, [...CLAIMS, JSON.stringify({ body: sent })], settings)), [], collection);
  }
});
