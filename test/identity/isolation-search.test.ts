import { test, type Test } from 'tap';
import { createService, type TestService } from '../harness/service.ts';
import { asker, sightOf } from './isolation-model.ts';
import { planOf, scans, ungatedScans } from './isolation-plan-walk.ts';
import { question, SEARCH_NAMES } from './isolation-requests.ts';
import { mismatches, statement } from './isolation-run.ts';
import { loadRows, ROWS, TABLES } from './isolation-tables.ts';

/** Files over the same tables, with search blocks and without rules: the tables keep the policies that they have. */
const COLLECTIONS = [
  {
    slug: 'notes', disableDefaultPolicies: true, search: { fields: ['title'] },
    properties: {
      id: { type: 'number', isId: 'manual' }, folderId: { type: 'number', columnType: 'integer' }, ownerUid: { type: 'string' },
      title: { type: 'string' }, priority: { type: 'number', columnType: 'integer' },
    },
  },
  {
    slug: 'letters', disableDefaultPolicies: true, search: { fields: ['senderUid'], mode: 'hybrid', fuzzy: true, fuzzyThreshold: 0.9 },
    properties: {
      id: { type: 'number', isId: 'manual' }, noteId: { type: 'number', columnType: 'integer' }, senderUid: { type: 'string' },
      grade: { type: 'number', columnType: 'integer' }, forGuests: { type: 'boolean' },
    },
  },
];

async function open(t: Test): Promise<TestService> {
  const folder = t.testdir(Object.fromEntries(COLLECTIONS.map(collection => [`${collection.slug}.json`, JSON.stringify(collection)])));
  return createService(t, { template: 'served', setup: TABLES + ROWS, env: { SERVICE_COLLECTIONS_DIR: folder } });
}

for (const settings of [
  {}, { geqo_threshold: '2', plan_cache_mode: 'force_generic_plan' }, { geqo_threshold: '2', plan_cache_mode: 'force_custom_plan' },
]) {
  test(`interleaved callers find exactly what the policies give, ${JSON.stringify(settings)}`, async t => {
    const { asked, wrong } = await mismatches(await open(t), { settings, shapes: SEARCH_NAMES });
    t.same(wrong.slice(0, 3), []);
    t.ok(asked > 200, `${asked} answers compared`);
  });
}

test('in every plan of a search the gate stands above each scan of a table, and is needed there', async t => {
  const service = await open(t);
  const caller = asker('caller 1', [], false, 'team 1');
  const sight = sightOf(caller, await loadRows(service.sql));
  const paths = [
    ...SEARCH_NAMES.map(shape => question(shape, sight, 5).path), 'notes?searchString=title 5&searchExplain=true',
    'letters/aggregate?select=count()&searchString=caller',
  ];
  for (const path of paths) {
    const { text, parameters } = await statement(service, caller, path);
    for (const plan_cache_mode of ['force_generic_plan', 'force_custom_plan']) {
      const plan = await planOf(service.sql, text, parameters, { plan_cache_mode });
      t.ok(scans(plan).length > 0 && scans(plan).every(name => name.startsWith('public.')), path);
      t.same(ungatedScans(plan), [], `${path} ${plan_cache_mode}`);
    }
    for (let place = 0; place < text.split('ctx.ok').length - 1; place += 1) {
      let at = 0;
      const without = text.replaceAll('ctx.ok', gate => at++ === place ? 'true' : gate);
      t.not(ungatedScans(await planOf(service.sql, without, parameters, {})).length, 0, `${path}, place ${place}`);
    }
  }
});
