// The receiver of docs/webhooks.md, with the settings that stand there: only the address is another.
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { blocksOf } from '../docs/markdown.ts';
import { ROOT } from '../harness/server.ts';
import { createService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { hooksFile, startReceiver, type Hook, type ReceiverProcess } from './receiver.ts';

const blocks = blocksOf(readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8')).map(({ text }) => text);
const receiver = blocks.find(text => text.includes('createServer')) ?? '';
const settings = JSON.parse(blocks.find(text => text.includes('"webhooks"')) ?? '{}') as { webhooks: Hook[] };
const SECRET = `whsec_${Buffer.from('a secret of the document').toString('base64')}`;

/** Runs the receiver. */
function running(t: Test, secret: string): Promise<ReceiverProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'receiver.mjs');
  writeFileSync(file, receiver);
  return startReceiver(t, file, secret);
}

test('the receiver of the document verifies events, and refuses others', async t => {
  t.ok(receiver.split('\n').filter(line => line !== '' && !line.startsWith('import')).length <= 10, 'ten lines');
  const [right, wrong] = [await running(t, SECRET), await running(t, `whsec_${Buffer.from('another').toString('base64')}`)];
  const [documented] = settings.webhooks;
  const webhooks = [right, wrong].map(({ url }, i) =>
    ({ ...documented, id: `orders ${i}`, url, allowPrivateNetworks: true, maxAttempts: 1 }));
  const { sql } = await createService(t, { env: { ...hooksFile(t, webhooks), ORDERS_SECRET: SECRET } });
  await sql`update orders set note = 'no change of the status' where id = 1`;
  await sql`update orders set status = 'packed' where id = 1`;
  const over = () => sql`select from service.jobs where status in ('succeeded', 'failed')`;
  await until('the events are over', async () => (await over()).length === 2);
  t.equal(right.printed(), 'UPDATE 1 packed\n');
  t.equal(wrong.printed(), '');
  t.match(await sql`select webhook_id, status_code from service.webhook_deliveries order by webhook_id`,
    [{ webhook_id: 'orders 0', status_code: 204 }, { webhook_id: 'orders 1', status_code: 401 }]);
});
