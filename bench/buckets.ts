/**
 * Files in a bucket of OpenStack Swift, beside the SDK's own speed with the same bucket: a stream of unknown length is uploaded in parts,
 * and the same object is downloaded. A file of a known length in one request costs Swift half as much.
 */
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { s3Client, startSwift } from '../test/harness/swift.ts';
import { median, type Rounds } from './measure.ts';
import { ownMemory } from './processes.ts';
import { number, type Table } from './report.ts';
import { start } from './servers.ts';
import { curl, fill, upload } from './storage.ts';

const MEGABYTE = 1024 * 1024;
const SIZE = 256 * MEGABYTE;

export async function buckets(_server: Embedded, url: string, { rounds }: Rounds): Promise<Table> {
  const swift = await startSwift();
  const folder = mkdtempSync(join(process.env['TMPDIR'] ?? '/tmp', 'rowgate-buckets-'));
  const large = join(folder, 'large');
  await fill(large, SIZE);
  const gateway = await start('rowgate', url,
    { env: { ...swift.env, STORAGE_ALLOW_ANY_AUTHENTICATED: 'true', STORAGE_MAX_FILE_SIZE: String(2 * SIZE) } });
  const sdk = s3Client(swift.env);
  const { S3_BUCKET: Bucket } = swift.env;
  await upload(gateway, large, 'public/own'); // what speaks to buckets is loaded with the first
  const before = ownMemory(gateway.pid);
  let most = before;
  const watch = setInterval(() => { most = Math.max(most, ownMemory(gateway.pid)); }, 50);
  try {
    const ways = [
      { name: '256 MiB by POST /upload', asked: ' (asked 0.7)', own: () => upload(gateway, large, 'public/own'),
        bare: () => new Upload({ client: sdk, params: { Bucket, Key: 'bare', Body: createReadStream(large) } }).done() },
      { name: 'the same, beside one PutObject', asked: '', own: () => upload(gateway, large, 'public/own'),
        bare: () => sdk.send(new PutObjectCommand({ Bucket, Key: 'put', Body: createReadStream(large), ContentLength: SIZE })) },
      { name: '256 MiB by GET', asked: ' (asked 0.7)', own: () => curl(`${gateway.url}/api/storage/file/public/own`),
        bare: async () => pipeline((await sdk.send(new GetObjectCommand({ Bucket, Key: 'public/own' }))).Body as Readable,
          createWriteStream('/dev/null')) },
    ];
    const rows: string[][] = [];
    for (const { name, asked, own, bare } of ways) {
      const rates: { own: number[]; bare: number[] } = { own: [], bare: [] };
      for (let round = 0; round < rounds; round++) {
        rates.own.push(await rateOf(own));
        rates.bare.push(await rateOf(bare));
      }
      const [ours, theirs] = [median(rates.own), median(rates.bare)];
      rows.push([name, `${number(ours)} MiB/s`, `${number(theirs)} MiB/s`, `${(ours / theirs).toFixed(2)}${asked}`,
        `+${number(most - before)} MiB`]);
      most = before;
    }
    return { header: ['', 'gateway', 'the SDK', 'ratio', 'memory'], rows };
  } finally {
    clearInterval(watch);
    sdk.destroy();
    await gateway.stop();
    await swift.stop();
    rmSync(folder, { recursive: true });
  }
}

async function rateOf(transfer: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await transfer();
  return SIZE / MEGABYTE / (performance.now() - begun) * 1000;
}
