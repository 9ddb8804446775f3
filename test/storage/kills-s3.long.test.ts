import { readdirSync } from 'node:fs';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { test } from 'tap';
import { emptyFolder } from '../boot/gateway.ts';
import { seed } from '../harness/effort.ts';
import { remoteStoreOf, s3Client, startSwift } from '../harness/swift.ts';
import { killed } from './kill-suite.ts';
import { read } from './store-suite.ts';

const UNFINISHED = '_service/uploads/';
const swift = await startSwift().catch((error: unknown) => error as Error);
const skip = swift instanceof Error && `no store that speaks S3 can be had here: ${swift.message}`;

test(`acknowledged files are whole after SIGKILL, and nothing else is left (RANDOM_SEED=${seed})`, { skip }, async t => {
  if (swift instanceof Error) return;
  const { env } = swift;
  const spools = emptyFolder(t);
  const [store, bare] = [remoteStoreOf(swift), s3Client(env)];
  t.teardown(async () => {
    store.close();
    bare.destroy();
    await swift.stop();
  });
  await killed(t, { env: { STORAGE_TYPE: 's3', TMPDIR: spools, ...env }, within: 2_000, strays, left });

  /**
   * Multipart uploads without a note: noted ones are removed after 48 hours, if they are abandoned. A process that died while beginning one
   * has noted the key.
   */
  async function strays(): Promise<string[]> {
    const notes = await Promise.all((await objects()).filter(key => key.includes('/multipart-')).map(async key =>
      JSON.parse(String(await read(store, key))) as { key: string; uploadId?: string }));
    const unknown = (await multiparts()).filter(({ Key, UploadId }) =>
      !notes.some(({ key, uploadId }) => key === Key && (uploadId ?? UploadId) === UploadId));
    return [...unknown.map(({ Key = '' }) => Key), ...readdirSync(spools)];
  }

  /** As a start finds it that comes later. */
  async function left(): Promise<string[]> {
    await store.sweep(new Date(Date.now() + 60_000));
    return [...await objects(), ...(await multiparts()).map(({ Key = '' }) => Key)];
  }

  async function multiparts() {
    return (await bare.send(new ListMultipartUploadsCommand({ Bucket: env.S3_BUCKET }))).Uploads ?? [];
  }

  async function objects(): Promise<string[]> {
    const { Contents } = await bare.send(new ListObjectsV2Command({ Bucket: env.S3_BUCKET, Prefix: UNFINISHED }));
    return (Contents ?? []).map(({ Key = '' }) => Key);
  }
});
