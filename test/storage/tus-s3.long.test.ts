import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { test, type Test } from 'tap';
import { openTus } from '../../gateway/features/storage/tus/open.ts';
import { accountQuery } from '../../gateway/identity/accounts.ts';
import { serviceCaller } from '../../gateway/identity/caller.ts';
import type { RemoteStore } from '../../gateway/blobs/s3/store.ts';
import { createGate } from '../../gateway/features/storage/gate.ts';
import { createSources, type SourceList } from '../../gateway/features/storage/sources.ts';
import { tusRoutes } from '../../gateway/features/storage/tus/routes.ts';
import { createService, type TestService } from '../harness/service.ts';
import { remoteStoreOf, startSwift } from '../harness/swift.ts';
import { until } from '../harness/until.ts';
import { serve } from '../http/serve.ts';
import { begin, offsetOf, piece, rawPiece, tus } from './tus-client.ts';

const MEBIBYTE = 1024 * 1024;
const log = pino({ level: 'silent' });
const swift = await startSwift().catch((error: unknown) => error as Error);

/** One that shares nothing with others but the database and the bucket. */
async function gatewayOn(t: Test, { database: { accounts, lanes, reads }, url }: TestService & { url: string }, store: RemoteStore) {
  const { listenAt } = await import('../../gateway/database/listen.ts');
  const sources: SourceList = { served: [{ key: '(default)', engine: 's3', store }], missing: [], variable: 'S3_BUCKET' };
  const gate = createGate({ rules: {}, lanes, reads, authRequired: true, verbose: true, log });
  const parts = await openTus({
    ask: accountQuery(accounts, true), accounts: true, listen: listenAt(url).listen, sources, gate, sweeps: false, log,
  });
  t.teardown(() => parts.close(1_000));
  const { url: address } = await serve(t, tusRoutes({
    ...parts, sources: createSources(sources), caller: () => serviceCaller, anyCaller: () => serviceCaller, counted: () => undefined,
    publicRead: false, gate, config: { basePath: '/api', publicUrl: undefined, trustedProxyHops: 0, authRequire: true },
  }));
  return { address, account: () => undefined };
}

test('S3', { skip: swift instanceof Error && `no store that speaks S3 can be had here: ${swift.message}` }, async t => {
  if (swift instanceof Error) return;
  const store = remoteStoreOf(swift);
  t.teardown(async () => {
    store.close();
    await swift.stop();
  });
  const service = await createService(t, { template: 'served' });
  const [one, other] = [await gatewayOn(t, service, store), await gatewayOn(t, service, store)];
  const file = randomBytes(7 * MEBIBYTE);
  const stored = async (key: string) => (await store.open({ bucket: store.bucket, key }))?.read();

  const id = await begin(one, file.length, { key: 'a/ü', contentType: 'video/mp4' });
  t.equal((await piece(one, id, 0, file.subarray(0, 1000))).status, 204, 'less than a part');
  const { closed } = await rawPiece(one, id, 1000, { announced: file.length - 1000, sent: file.subarray(1000, 6 * MEBIBYTE) });
  await until('it has come', async () => Number((await service.sql`select received from service.storage_uploads`)[0]?.['received']) > 1000);
  const at = await offsetOf(other, id);
  await closed;
  t.ok(at > 5 * MEBIBYTE && at <= 6 * MEBIBYTE, `goes on at ${at}`);
  t.equal((await piece(other, id, at, file.subarray(at))).status, 204);
  const found = await stored('a/ü');
  const chunks: Buffer[] = [];
  if (Buffer.isBuffer(found)) chunks.push(found);
  else for await (const chunk of found ?? []) chunks.push(Buffer.from(chunk as Buffer));
  t.ok(Buffer.concat(chunks).equals(file));
  t.match(await store.info({ bucket: store.bucket, key: 'a/ü' }), { contentType: 'video/mp4', size: file.length });

  const given = await begin(one, 10, { key: 'b' });
  await piece(one, given, 0, 'abc');
  t.equal((await tus(other, 'DELETE', given)).status, 204);
  t.equal(await offsetOf(one, given), -1);
});
