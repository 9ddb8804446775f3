import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { begin, offsetOf, rawPiece } from '../storage/tus-client.ts';
import { startOn } from './service.ts';

test('a request for an upload ends its sender at another worker, and nothing of it is lost', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const gateway = await startOn(t, { DATABASE_URL: url, STORAGE_PATH: t.testdir() });
  const service = { address: new URL(gateway.address).origin, account: () => undefined };
  for (let round = 0; round < 6; round++) { // the kernel shares connections out
    const id = await begin(service, 2000, { key: 'a' });
    const { closed, socket } = await rawPiece(service, id, 0, { announced: 2000, sent: Buffer.alloc(1000) });
    await until('it has begun',
      async () => (await sql`select from service.storage_uploads where id::text = ${id.slice(-36)} and holder is not null`).length > 0);
    t.equal(await offsetOf(service, id), 1000);
    await closed;
    socket.destroy();
  }
});
