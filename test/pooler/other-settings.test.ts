import { test } from 'tap';
import { startedWith } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { pooler } from './poolers.ts';

const OTHER = /Another gateway of this database .* runs with other settings of storage/

test('through a pooler a gateway is known by the session that it has past it', async t => {
  const pooled = await pooler(t);
  if (!pooled) return;
  const { url } = await createDatabase(t, { template: 'served_store' });
  const settings = (allow: string) => ({ storage: { policies: [{ path: '**', allow }] } });
  const first = await startedWith(t, settings('public'), { DATABASE_URL: pooled(url), DATABASE_DIRECT_URL: url });
  t.notMatch(first.output(), OTHER);
  t.match((await startedWith(t, settings('authenticated'), { DATABASE_URL: pooled(url) })).output(), OTHER,
    'one without such a session sees it');
  t.notMatch((await startedWith(t, settings('public'), { DATABASE_URL: pooled(url), DATABASE_DIRECT_URL: url })).output(), OTHER,
    'and is not seen itself');
});
