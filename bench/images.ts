/** How many renditions are made, and what rows and files keep of their rate and their time beside that. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import sharp from 'sharp';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { load } from './load/load.ts';
import { median, type Rounds } from './measure.ts';
import { number, type Table } from './report.ts';
import { start, type Running } from './servers.ts';
import { upload } from './storage.ts';

/** As a telephone takes it: 12 megapixels. */
const PHOTO = { width: 4000, height: 3000 };
/** Clients that ask for renditions that do not exist yet. */
const ASKERS = 16;
const CLIENTS = 16;
const LITTLE = 4096;

const READS = { 'rows by their ids': '/api/data/posts/#', 'files of 4 KiB': '/api/storage/file/public/little' };

export async function images(_server: Embedded, url: string, { seconds, rounds }: Rounds): Promise<Table> {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-images-'));
  const [photo, little] = [join(folder, 'photo.jpg'), join(folder, 'little')];
  writeFileSync(photo,
    await sharp({ create: { ...PHOTO, channels: 3, background: 'teal', noise: { type: 'gaussian', mean: 128, sigma: 20 } } }).jpeg()
      .toBuffer());
  writeFileSync(little, Buffer.alloc(LITTLE, 'x'));
  const env = { FORCE_LOCAL_STORAGE: 'true', STORAGE_PATH: join(folder, 'store'), STORAGE_ALLOW_ANY_AUTHENTICATED: 'true' };
  const gateway = await start('rowgate', url, { env });
  const rows: string[][] = [];
  try {
    await upload(gateway, `${photo};type=image/jpeg`, 'public/photo');
    await upload(gateway, little, 'public/little');
    for (const [name, path] of Object.entries(READS)) {
      const [alone, beside, made]: [Read[], Read[], number[]] = [[], [], []];
      await reads(gateway, path, 1);
      for (let round = 0; round < rounds; round++) {
        alone.push(await reads(gateway, path, seconds));
        const asked = askers(gateway);
        await setTimeout(500);
        beside.push(await reads(gateway, path, seconds));
        made.push(await asked.stop());
      }
      const of = (all: Read[], key: keyof Read) => median(all.map(one => one[key]));
      rows.push([name, `${number(of(alone, 'rate'))}/s, p99 ${number(of(alone, 'p99'))} ms`,
        `${number(of(beside, 'rate'))}/s, p99 ${number(of(beside, 'p99'))} ms`,
        (of(beside, 'rate') / of(alone, 'rate')).toFixed(2), `${number(median(made))}/s`]);
    }
    const again = { method: 'GET', path: '/api/storage/file/public/photo?width=400', body: '' } as const;
    const { requests, seconds: took } = await load({ ...gateway, headers: {} }, again, { connections: 64, seconds });
    rows.push(['a rendition that was made before', `${number(requests / took)}/s`, '', '', '']);
  } finally {
    await gateway.stop();
    rmSync(folder, { recursive: true });
  }
  return {
    header: [`${CLIENTS} clients`, 'alone', `beside ${ASKERS} who ask for new renditions`, 'kept', 'renditions of 12 megapixels'], rows,
  };
}

type Read = { rate: number; p99: number };

async function reads({ url, headers }: Running, path: string, seconds: number): Promise<Read> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  await Promise.all(Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = client; performance.now() < end; n += CLIENTS) {
      const began = performance.now();
      const response = await fetch(url + path.replace('#', String(1 + n % 1000)), { headers: path.includes('#') ? headers : {} });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path}: ${response.status}`);
      times.push(performance.now() - began);
    }
  }));
  times.sort((a, b) => a - b);
  return { rate: times.length / seconds, p99: times[Math.ceil(times.length * 0.99) - 1] ?? NaN };
}

let variant = 0;

/** Renditions a second that were made, until they are stopped. */
function askers({ url }: Running): { stop: () => Promise<number> } {
  const over = new AbortController();
  const begun = performance.now();
  let made = 0;
  const all = Promise.all(Array.from({ length: ASKERS }, async () => {
    while (!over.signal.aborted) {
      variant += 1;
      const response = await fetch(`${url}/api/storage/file/public/photo?width=${200
        + variant % 800}&quality=${1 + Math.floor(variant / 800)}`);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`A rendition: ${response.status}`);
      made += 1;
    }
  }));
  return {
    async stop() {
      over.abort();
      await all;
      return made / ((performance.now() - begun) / 1000);
    },
  };
}
