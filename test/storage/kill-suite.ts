// Gateways that are killed while files come in, whatever the store.
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { addressOf, startGateway, type Gateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { formOf } from './files.ts';
import { PIECE, metadata } from './tus-client.ts';

export type KilledStore = {
  /** The settings of a gateway. */
  env: Record<string, string>;
  /** Milliseconds in which one is killed. */
  within: number;
  /** Files after a start that belong to no known upload. */
  strays: () => Promise<string[]>;
  /** Remains once every upload is finished, except the files. */
  left: () => Promise<string[]>;
};

/** One version of an object: its type names it, so that bytes and type can only be of one another. */
type Version = { type: string; bytes: Buffer; acknowledged: boolean };
/** A resumable upload that is under way: how much of it was acknowledged. */
type Resumed = { location: string; version: Version; offset: number };
type Shown = { type: string; bytes: string };

const KILLS = 20;
const SIZES = [1, 70_000, 3_000_000, 12_000_000];
const PIECES = [1_000_000, 7_000_000];

const headers = { authorization: `Bearer ${SERVICE_KEY}` };

/**
 * Acknowledged files are complete, nothing older or foreign is served, uploads continue where they were or further, and nothing is left.
 */
export async function killed(t: Test, { env, within, strays, left }: KilledStore): Promise<void> {
  const below = generator(seed);
  const oneOf = (numbers: readonly number[]) => numbers[below(numbers.length)] as number;
  const { url } = await createDatabase(t, { template: 'served' });
  const settings = { DATABASE_URL: url, SERVICE_SOURCE: 'tables', PORT: String(await freePort()), ...env };
  const origin = `http://127.0.0.1:${settings.PORT}`;
  const base = `${origin}/api/storage`;
  const sent = new Map<string, Version[]>();
  const count = { made: 0, acknowledged: 0, wentOn: 0 };
  const began = Date.now();
  let gateway = await open(t, settings);

  for (let kill = runs(KILLS); kill > 0; kill--) {
    const unfinished: Resumed[] = [];
    const uploading = Array.from({ length: 8 }, (_, n) => n % 2 === 0 ? uploads(`forms/${n}`) : pieces(`pieces/${n}`, unfinished));
    await setTimeout(below(within));
    gateway.process.kill('SIGKILL');
    await gateway.ended;
    await Promise.all(uploading);
    gateway = await open(t, settings);

    t.same(await strays(), [], 'nothing lies aside');
    await Promise.all(unfinished.map(goesOn));
    for (const [key, versions] of sent) {
      const found = await shown(key);
      t.same(found, expected(found?.type, versions), key);
    }
    t.same(await listed(), [...sent].filter(([, versions]) => versions.some(({ acknowledged }) => acknowledged)).map(([key]) => key).sort(),
      'no other file is there');
  }
  t.same(await left(), [], 'nothing is left');
  const seconds = Math.round((Date.now() - began) / 1000);
  t.comment(`${runs(KILLS)} kills, ${count.acknowledged} of ${count.made} uploads acknowledged, ${count.wentOn} went on, ${seconds} s`);

  function newVersion(): Version {
    const number = ++count.made;
    return { type: `application/x-version-${number}`, bytes: Buffer.alloc(oneOf(SIZES), `version ${number} `), acknowledged: false };
  }

  function acknowledge(version: Version): void {
    version.acknowledged = true;
    count.acknowledged++;
  }

  /** One after the other, until the gateway is gone. */
  async function uploads(key: string): Promise<void> {
    const versions = remembered(key);
    for (;;) {
      const version = newVersion();
      versions.push(version);
      const form = formOf(key, version.bytes, { type: version.type, last: below(2) === 0 });
      const response = await fetch(`${base}/upload`, { method: 'POST', headers, body: form }).catch(() => undefined);
      if (response === undefined) return;
      if (response.status !== 201) throw new Error(await response.text());
      acknowledge(version);
    }
  }

  async function pieces(key: string, unfinished: Resumed[]): Promise<void> {
    const versions = remembered(key);
    for (;;) {
      const version = newVersion();
      const created = await fetch(`${base}/tus`, { method: 'POST', headers: {
        ...headers, 'upload-length': String(version.bytes.length), 'upload-metadata': metadata({ key, contentType: version.type }),
      } }).catch(() => undefined);
      if (created === undefined) return;
      const upload = { location: new URL(created.headers.get('location') ?? '').pathname, version, offset: 0 };
      versions.push(version);
      if (!await patches(upload)) return void unfinished.push(upload);
    }
  }

  /** In pieces, to its end; false when the gateway is gone before. */
  async function patches(upload: Resumed): Promise<boolean> {
    const { version, version: { bytes }, location } = upload;
    const size = oneOf(PIECES);
    while (upload.offset < bytes.length) {
      const response = await fetch(origin + location, {
        method: 'PATCH', body: bytes.subarray(upload.offset, upload.offset + size),
        headers: { ...headers, 'upload-offset': String(upload.offset), 'content-type': PIECE },
      }).catch(() => undefined);
      if (response === undefined) return false;
      if (response.status !== 204) throw new Error(`${response.status} ${await response.text()}`);
      upload.offset = Number(response.headers.get('upload-offset'));
    }
    acknowledge(version);
    return true;
  }

  /** Where it was, or further, and then to its end; one that was finished says so. */
  async function goesOn(upload: Resumed): Promise<void> {
    const answer = await fetch(origin + upload.location, { method: 'HEAD', headers });
    const offset = Number(answer.headers.get('upload-offset'));
    t.equal(answer.status, 200);
    t.ok(offset >= upload.offset, `at ${offset}, acknowledged ${upload.offset}`);
    count.wentOn++;
    upload.offset = offset;
    if (offset === upload.version.bytes.length) acknowledge(upload.version);
    else t.ok(await patches(upload), 'goes on to its end');
  }

  function remembered(key: string): Version[] {
    const versions = sent.get(key) ?? [];
    sent.set(key, versions);
    return versions;
  }

  /** The shown version of a key. */
  async function shown(key: string): Promise<Shown | undefined> {
    const response = await fetch(`${base}/file/${key}`, { headers });
    if (response.status === 404) return undefined;
    const bytes = digest(Buffer.from(await response.arrayBuffer()));
    const { data } = await (await fetch(`${base}/metadata/${key}`, { headers })).json() as { data: { contentType: string } };
    return { type: data.contentType, bytes };
  }

  async function listed(): Promise<string[]> {
    const keys: string[] = [];
    for (const prefix of ['forms', 'pieces']) {
      const { data } = await (await fetch(`${base}/list?prefix=${prefix}`, { headers })).json() as {
        data: { items: { fullPath: string }[] };
      };
      keys.push(...data.items.map(({ fullPath }) => fullPath));
    }
    return keys.sort();
  }
}

async function open(t: Test, env: Record<string, string>): Promise<Gateway> {
  const gateway = startGateway(t, env);
  await addressOf(gateway);
  return gateway;
}

/**
 * The version that this type names, if it is the last acknowledged one or a newer one; else that. Any other version that may be shown
 * counts as acknowledged.
 */
function expected(type: string | undefined, versions: Version[]): Shown | undefined {
  const last = versions.findLastIndex(({ acknowledged }) => acknowledged);
  const allowed = versions.slice(Math.max(last, 0));
  const version = allowed.find(version => version.type === type) ?? versions[last];
  if (version === undefined) return undefined;
  version.acknowledged = true;
  versions.splice(0, versions.length, version);
  return { type: version.type, bytes: digest(version.bytes) };
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
