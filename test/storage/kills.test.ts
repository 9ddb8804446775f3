import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { test, type Test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { addressOf, emptyFolder, startGateway, type Gateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { formOf } from './files.ts';

/** One version of an object: its type names it, so that bytes and type can only be of one another. */
type Version = { type: string; bytes: Buffer; acknowledged: boolean };
/** A resumable upload that is under way: how much of it was acknowledged. */
type Resumed = { location: string; version: Version; offset: number };

const headers = { authorization: `Bearer ${SERVICE_KEY}` };
const below = generator(seed);
let made = 0;

function newVersion(): Version {
  const bytes = Buffer.alloc([1, 100, 70_000, 3_000_000][below(4)] as number, `version ${++made} `);
  return { type: `application/x-version-${made}`, bytes, acknowledged: false };
}

test(`what was acknowledged is whole after SIGKILL, and nothing else is left (RANDOM_SEED=${seed})`, async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const folder = emptyFolder(t);
  const env = { DATABASE_URL: url, SERVICE_SOURCE: 'tables', STORAGE_PATH: folder, PORT: String(await freePort()) };
  const base = `http://127.0.0.1:${env.PORT}/api/storage`;
  const sent = new Map<string, Version[]>();
  let gateway = await open(t, env);

  for (let kill = runs(20); kill > 0; kill--) {
    const left: Resumed[] = [];
    const uploading = Array.from({ length: 8 }, (_, n) => n % 2 === 0 ? uploads(`forms/${n}`) : pieces(`pieces/${n}`, left));
    await setTimeout(below(600));
    gateway.process.kill('SIGKILL');
    await gateway.ended;
    await Promise.all(uploading);
    gateway = await open(t, env);

    t.same(readdirSync(join(folder, '.uploads')), [], 'nothing lies aside');
    for (const upload of left) await goesOn(upload);
    for (const [key, versions] of sent) t.same(await shown(key), expected(await typeOf(key), versions), key);
    t.same(await listed(), [...sent].filter(([, versions]) => versions.some(({ acknowledged }) => acknowledged)).map(([key]) => key).sort(),
      'no other file is there');
  }

  /** One after the other, until the gateway is gone. */
  async function uploads(key: string): Promise<void> {
    const versions = remembered(key);
    for (;;) {
      const version = newVersion();
      versions.push(version);
      const response = await fetch(`${base}/upload`, { method: 'POST', headers, body: formOf(key, version.bytes, { type: version.type }) })
        .catch(() => undefined);
      if (response === undefined) return;
      if (response.status !== 201) throw new Error(await response.text());
      version.acknowledged = true;
    }
  }

  async function pieces(key: string, left: Resumed[]): Promise<void> {
    const versions = remembered(key);
    for (;;) {
      const version = newVersion();
      const encoded = (text: string) => Buffer.from(text).toString('base64');
      const created = await fetch(`${base}/tus`, {
        method: 'POST',
        headers: { ...headers, 'upload-length': String(version.bytes.length), 'upload-metadata': `key ${encoded(key)},contentType ${encoded(version.type)}` },
      }).catch(() => undefined);
      if (created === undefined) return;
      const upload = { location: new URL(created.headers.get('location') ?? '').pathname, version, offset: 0 };
      versions.push(version);
      if (!await patches(upload)) return void left.push(upload);
    }
  }

  /** In pieces, to its end; false when the gateway is gone before. */
  async function patches(upload: Resumed): Promise<boolean> {
    const { version: { bytes }, version, location } = upload;
    while (upload.offset < bytes.length) {
      const response = await fetch(base.replace('/api/storage', '') + location, {
        method: 'PATCH', body: bytes.subarray(upload.offset, upload.offset + 1_000_000),
        headers: { ...headers, 'upload-offset': String(upload.offset), 'content-type': 'application/offset+octet-stream' },
      }).catch(() => undefined);
      if (response === undefined) return false;
      if (response.status !== 204) throw new Error(`${response.status} ${await response.text()}`);
      upload.offset = Number(response.headers.get('upload-offset'));
    }
    version.acknowledged = true;
    return true;
  }

  /** Where it was, or further, and then to its end; one that was finished says so. */
  async function goesOn(upload: Resumed): Promise<void> {
    const answer = await fetch(base.replace('/api/storage', '') + upload.location, { method: 'HEAD', headers });
    const offset = Number(answer.headers.get('upload-offset'));
    t.equal(answer.status, 200);
    t.ok(offset >= upload.offset, `at ${offset}, acknowledged ${upload.offset}`);
    upload.offset = offset;
    if (offset === upload.version.bytes.length) upload.version.acknowledged = true;
    else await patches(upload);
  }

  function remembered(key: string): Version[] {
    const versions = sent.get(key) ?? [];
    sent.set(key, versions);
    return versions;
  }

  async function typeOf(key: string): Promise<string | undefined> {
    const response = await fetch(`${base}/metadata/${key}`, { headers });
    if (response.status === 404) return undefined;
    return ((await response.json()) as { data: { contentType: string } }).data.contentType;
  }

  /** What is shown of a key. */
  async function shown(key: string): Promise<{ type: string; bytes: string } | undefined> {
    const response = await fetch(`${base}/file/${key}`, { headers });
    if (response.status === 404) return undefined;
    return { type: await typeOf(key) ?? '', bytes: digest(Buffer.from(await response.arrayBuffer())) };
  }

  async function listed(): Promise<string[]> {
    const keys: string[] = [];
    for (const prefix of ['forms', 'pieces']) {
      const { data } = await (await fetch(`${base}/list?prefix=${prefix}`, { headers })).json() as { data: { items: { fullPath: string }[] } };
      keys.push(...data.items.map(({ fullPath }) => fullPath));
    }
    return keys.sort();
  }
});

async function open(t: Test, env: Record<string, string>): Promise<Gateway> {
  const gateway = startGateway(t, env);
  await addressOf(gateway);
  return gateway;
}

/** The version that this type names, if it is the last that was acknowledged or a newer one; else that. What may be shown besides counts as acknowledged. */
function expected(type: string | undefined, versions: Version[]): { type: string; bytes: string } | undefined {
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
