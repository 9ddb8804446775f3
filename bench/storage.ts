/** Files, beside a bare handler on the same disk: large ones by curl, one and eight at once, small ones by the load generator. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { freePort } from '../gateway/process/free-port.ts';
import { CASES } from './cases.ts';
import { ROOT } from './database.ts';
import { load, type Ask } from './load/load.ts';
import { median, type Rounds } from './measure.ts';
import { ownMemory } from './processes.ts';
import { number, type Table } from './report.ts';
import { answers, launch, start, stop, type Running } from './servers.ts';

const MEGABYTE = 1024 * 1024;
const LARGE = 1024 * MEGABYTE;
const LITTLE = 4096;
const SENDERS = 8;

/** Megabytes a second of one transfer, what the server's memory grew by during it, and during eight at once. */
type Transfer = { rate: number; grew: number; grewByEight: number };
type Way = { name: string; gateway: () => Promise<unknown>; floor: () => Promise<unknown>; asked: number };

export async function storage(_server: Embedded, url: string, { seconds, rounds }: Rounds): Promise<Table> {
  const folder = mkdtempSync(join(process.env['TMPDIR'] ?? '/tmp', 'rowgate-files-'));
  const [large, little] = [join(folder, 'large'), join(folder, 'little')];
  await fill(large, LARGE);
  writeFileSync(little, Buffer.alloc(LITTLE, 'x'));
  const env = {
    FORCE_LOCAL_STORAGE: 'true', STORAGE_PATH: join(folder, 'store'), STORAGE_ALLOW_ANY_AUTHENTICATED: 'true',
    STORAGE_MAX_FILE_SIZE: String(2 * LARGE),
  };
  const gateway = await start('rowgate', url, { env });
  const floor = await startFloor(folder);
  const rows: string[][] = [];
  try {
    await upload(gateway, large, 'public/large');
    await upload(gateway, little, 'public/little');
    await upload(gateway, little, 'private/little');
    // Removes the uploads, past the gateway: they are a gigabyte each.
    const remove = () => {
      for (const name of readdirSync(join(folder, 'store/default'))) {
        if (name.startsWith('sent')) rmSync(join(folder, 'store/default', name));
      }
    };
    const ways: Way[] = [
      {
        name: '1 GiB by PATCH', asked: 0.6, gateway: () => resumable(gateway, large),
        floor: () => curl('-X', 'PATCH', '-T', large, `${floor.url}/file/sent`),
      },
      {
        name: '1 GiB by POST /upload', asked: 0.6, gateway: () => upload(gateway, large, 'sent'),
        floor: () => curl('-X', 'PATCH', '-T', large, `${floor.url}/file/sent`),
      },
      {
        name: '1 GiB by GET', asked: 0.8, gateway: () => curl(`${gateway.url}/api/storage/file/public/large`),
        floor: () => curl(`${floor.url}/file/large`),
      },
    ];
    for (const way of ways) {
      const [own, bare] = await alternated(gateway, floor, way, remove, rounds);
      rows.push([way.name, `${number(own.rate)} MiB/s`, `${number(bare.rate)} MiB/s`,
        `${(own.rate / bare.rate).toFixed(2)} (asked ${way.asked})`,
        `+${number(own.grew)} MiB, +${number(own.grewByEight)} with ${SENDERS}`]);
    }
    rows.push(...await small(gateway, floor, { seconds, rounds }));
    rows.push(await beside(gateway, large, remove, { seconds, rounds }));
  } finally {
    await gateway.stop();
    await floor.stop();
    rmSync(folder, { recursive: true });
  }
  return { header: ['', 'gateway', 'floor', 'ratio', 'memory'], rows };
}

/** Both ways in turn; the medians. */
async function alternated(gateway: Running, floor: Running, way: Way, remove: () => void, rounds: number): Promise<[Transfer, Transfer]> {
  const [own, bare]: [number[], number[]] = [[], []];
  let grew = 0;
  for (let round = 0; round < rounds; round++) {
    const watched = await watching(gateway, way.gateway, remove);
    own.push(watched.rate);
    grew = Math.max(grew, watched.grew);
    bare.push((await watching(floor, way.floor, remove)).rate);
  }
  const { grew: grewByEight } = await watching(gateway, () => Promise.all(Array.from({ length: SENDERS }, way.gateway)), remove);
  return [{ rate: median(own), grew, grewByEight }, { rate: median(bare), grew: 0, grewByEight: 0 }];
}

async function watching(
  { pid }: Running, transfer: () => Promise<unknown>, remove: () => unknown,
): Promise<{ rate: number; grew: number }> {
  const before = ownMemory(pid);
  let most = before;
  const timer = setInterval(() => { most = Math.max(most, ownMemory(pid)); }, 50);
  const begun = performance.now();
  await transfer();
  const rate = LARGE / MEGABYTE / (performance.now() - begun) * 1000;
  clearInterval(timer);
  await remove();
  return { rate, grew: most - before };
}

async function small(gateway: Running, floor: Running, { seconds, rounds }: Rounds): Promise<string[][]> {
  const get = CASES.find(({ topic }) => topic === 'get')?.asks.rowgate;
  if (get === undefined) throw new Error('There is no case of gets.');
  const bare = { ...gateway, headers: {} };
  const rates = await rounded(rounds, seconds, {
    public: [bare, file('/api/storage/file/public/little')], floor: [floor, file('/file/little')],
    private: [gateway, file('/api/storage/file/private/little')], row: [gateway, get],
  });
  const row = (name: string, { rate: own }: Measured, { rate: other }: Measured) =>
    [name, `${number(own)}/s`, `${number(other)}/s`, `${(own / other).toFixed(2)} (asked 0.7)`, ''];
  return [row('4 KiB, public, beside open-and-read', rates.public,
    rates.floor), row('4 KiB, private, beside a row by its id', rates.private, rates.row)];
}

/** Rows by their ids while eight transfers go on: four up, four down. */
async function beside(gateway: Running, large: string, remove: () => void, { seconds, rounds }: Rounds): Promise<string[]> {
  const get = CASES.find(({ topic }) => topic === 'get')?.asks.rowgate;
  if (get === undefined) throw new Error('There is no case of gets.');
  const { alone } = await rounded(rounds, seconds, { alone: [gateway, get] });
  let goesOn = true;
  const busy = Array.from({ length: SENDERS }, async (_, n) => {
    while (goesOn) await (n % 2 === 0 ? curl(`${gateway.url}/api/storage/file/public/large`) : resumable(gateway, large).then(remove));
  });
  const { amid: { rate: amid, p99 } } = await rounded(rounds, seconds, { amid: [gateway, get] });
  goesOn = false;
  await Promise.all(busy);
  return ['rows by their ids beside eight transfers', `${number(amid)}/s, p99 ${number(p99)} ms`, `${number(alone.rate)}/s alone`,
    `${(amid / alone.rate).toFixed(2)} (asked 0.6, p99 50 ms)`, ''];
}

type Measured = { rate: number; p99: number };

async function rounded<Name extends string>(
  rounds: number, seconds: number, asked: Record<Name, [Running, Ask]>,
): Promise<Record<Name, Measured>> {
  const all = new Map<string, Measured[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, [server, ask]] of Object.entries(asked) as [Name, [Running, Ask]][]) {
      const done = await load(server, ask, { connections: 64, seconds });
      if (round > 0) all.set(name, [...all.get(name) ?? [], { rate: done.requests / done.seconds, p99: done.p99 }]);
    }
  }
  const middle = (each: Measured[]) => ({ rate: median(each.map(({ rate }) => rate)), p99: median(each.map(({ p99 }) => p99)) });
  return Object.fromEntries([...all].map(([name, each]) => [name, middle(each)])) as Record<Name, Measured>;
}

const file = (path: string): Ask => ({ method: 'GET', path, body: '' });

export async function upload({ url, headers: { authorization = '' } }: Running, path: string, key: string): Promise<void> {
  await curl('-H', `authorization: ${authorization}`, '-F', `key=${key}`, '-F', `file=@${path}`, `${url}/api/storage/upload`);
}

async function resumable({ url, headers: { authorization = '' } }: Running, path: string): Promise<void> {
  const { size } = statSync(path);
  const key = Buffer.from(`sent-${Math.random()}`).toString('base64');
  const created = await fetch(`${url}/api/storage/tus`, {
    method: 'POST', headers: { authorization, 'upload-length': String(size), 'upload-metadata': `key ${key}`, 'tus-resumable': '1.0.0' },
  });
  const location = new URL(created.headers.get('location') ?? '', url);
  const headers = [
    `authorization: ${authorization}`, 'upload-offset: 0', 'content-type: application/offset+octet-stream', 'tus-resumable: 1.0.0',
  ];
  await curl(...headers.flatMap(header => ['-H', header]), '-X', 'PATCH', '-T', path, `${url}${location.pathname}`);
}

/** @throws Error when the answer is no success. */
export async function curl(...args: string[]): Promise<void> {
  const child = spawn('curl', ['-sS', '--fail', '-o', '/dev/null', '-H', 'Expect:', ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close') as [number | null];
  if (code !== 0) throw new Error(`curl ${args.at(-1)} ended with ${code}.`);
}

export async function fill(path: string, size: number): Promise<void> {
  const file = await open(path, 'w');
  const piece = Buffer.alloc(MEGABYTE, 'rowgate ');
  for (let done = 0; done < size; done += piece.length) await file.write(piece);
  await file.close();
}

async function startFloor(folder: string): Promise<Running> {
  const port = await freePort();
  const child = launch(ROOT, ['bench/load/files.ts'], { PORT: String(port), FOLDER: folder });
  const url = `http://127.0.0.1:${port}`;
  await answers(child, url, {}, { method: 'GET', path: '/file/little', body: '' });
  return { name: 'floor', pid: child.pid ?? 0, url, headers: {}, startup: 0, stop: () => stop(child) };
}
