import { randomInt } from 'node:crypto';
import { test } from 'tap';
import { runs } from '../harness/effort.ts';
import { openService } from '../harness/service.ts';
import { createHooked, createReceiver, hook, hooksFile } from './receiver.ts';

test('with ordered the last body of each row equals the row, however eight writers change them and two gateways send', async t => {
  const rows = 5;
  /** Some fail, so that they come again while later ones wait. */
  const receiver = await createReceiver(t, (answer, { headers }) => {
    answer.writeHead(headers['x-webhook-attempt'] === '1' && randomInt(4) === 0 ? 503 : 200, { 'retry-after': '0' }).end();
  });
  const webhooks = [hook(receiver.url, { ordered: true, maxAttempts: 5 })];
  const { sql, url, over } = await createHooked(t, webhooks);
  const other = await openService(url, hooksFile(t, webhooks));
  t.teardown(other.close);
  await sql`insert into orders (id, name) select n, 'new' from generate_series(1, ${rows}) n`;
  await Promise.all(Array.from({ length: 8 }, async (_, writer) => {
    for (let n = 0; n < runs(200); n++) {
      const id = randomInt(rows) + 1;
      const name = `${writer} ${n}`;
      const row = { id, name };
      if (randomInt(5) === 0) await sql`delete from orders where id = ${id}`;
      else if (randomInt(3) === 0) await sql`insert into orders ${sql(row)} on conflict (id) do update set name = excluded.name`;
      else await sql`update orders set name = ${name} where id = ${id}`;
    }
  }));
  await over();
  const last = new Map<number, { type: string; record: Record<string, unknown> }>();
  const taken = new Set<string>();
  const before = new Map<number, unknown>();
  for (const { body } of receiver.received) {
    const event = JSON.parse(body) as { type: string; record: { id: number }; old_record?: unknown };
    const { id } = event.record;
    if (!taken.has(body) && event.type === 'UPDATE') t.same(event.old_record, before.get(id), `of row ${id} nothing is left out`);
    taken.add(body);
    before.set(id, event.record);
    last.set(id, event);
  }
  const stored = await sql<{ row: { id: number } }[]>`select to_jsonb(o) as row from orders o`;
  for (let id = 1; id <= rows; id++) {
    const row = stored.find(({ row }) => row.id === id)?.row;
    if (row === undefined) t.equal(last.get(id)?.type, 'DELETE', `row ${id}`);
    else t.same(last.get(id)?.record, row, `row ${id}`);
  }
});
