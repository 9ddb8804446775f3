import { test } from 'tap';
import { createService } from '../harness/service.ts';
import { collections } from '../write/client.ts';
import { asker } from './isolation-model.ts';
import { PLANNERS } from './isolation-planners.ts';
import { planOf, scans, ungatedScans } from './isolation-plan-walk.ts';
import { statement } from './isolation-run.ts';

const id = { type: 'number', isId: 'increment' };
const own = [{ operation: 'all', ownerField: 'owner' }];
const relation = (kind: string, target: string, more: object = {}) => ({ type: 'relation', relation: { kind, target, ...more } });
const lists = {
  slug: 'lists',
  properties: {
    id, owner: { type: 'string' },
    items: relation('manyToMany', 'items', { through: { table: 'list_items', properties: { place: { type: 'number' } } } }),
    makers: relation('via', 'makers', { joinPath: [
      { table: 'list_items', on: { from: 'id', to: 'list_id' } }, { table: 'items', on: { from: 'item_id', to: 'id' } },
      { table: 'makers', on: { from: 'maker_id', to: 'id' } },
    ] }),
  },
  securityRules: own,
};
const items = { slug: 'items', properties: { id, owner: { type: 'string' }, maker: relation('belongsTo', 'makers') }, securityRules: own };
const makers = { slug: 'makers', properties: { id, owner: { type: 'string' } }, securityRules: own };

const PATHS = [
  'lists/1/items?limit=3', 'lists/1/items/2', 'lists/1/items?include=maker&orderBy=owner', 'lists?include=makers', 'lists/1?include=makers',
  'lists/1/makers', 'lists/1/makers/2', 'lists/1/makers/count',
];

test('reads of links and over a chain of joins wait for the gate in every plan', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, lists, items, makers) } });
  await service.sql.unsafe(`
    insert into makers (owner) select 'caller ' || n % 3 from generate_series(1, 100) n;
    insert into items (owner, maker_id) select 'caller ' || n % 3, n % 100 + 1 from generate_series(1, 1000) n;
    insert into lists (owner) select 'caller ' || n % 3 from generate_series(1, 100) n;
    insert into list_items (list_id, item_id) select distinct n % 100 + 1, n * 7 % 1000 + 1 from generate_series(1, 3000) n;
    analyze;`);
  const caller = asker('caller 1', [], false, 'team 1');
  for (const path of PATHS) {
    const { text, parameters } = await statement(service, caller, path);
    for (const settings of PLANNERS) {
      const plan = await planOf(service.sql, text, parameters, settings);
      t.ok(scans(plan).includes('public.list_items'), path);
      t.same(ungatedScans(plan), [], `${path} ${JSON.stringify(settings)}`);
    }
    if (path === 'lists/1/items/2') continue; // the gate of the one row stands above that of its link
    const places = text.split('ctx.ok').length - 1;
    for (let place = 0; place < places; place += 1) {
      let at = 0;
      const without = text.replaceAll('ctx.ok', gate => at++ === place ? 'true' : gate);
      t.not(ungatedScans(await planOf(service.sql, without, parameters, {})).length, 0, `${path}, place ${place}, is needed`);
    }
  }
});
