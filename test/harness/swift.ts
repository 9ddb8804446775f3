import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { fetchDebianPackages } from '../../gateway/embedded/debian-packages.ts';
import { connect } from '../../gateway/blobs/s3/connection.ts';
import { remoteStore, type RemoteStore } from '../../gateway/blobs/s3/store.ts';
import { ROOT } from './server.ts';

const run = promisify(execFile);

/** Debian 12's Swift, its Python, and what the two load: so it runs without rights, and whatever else is installed. */
const PACKAGES = [
  'python3-swift', 'swift-proxy', 'python3-eventlet', 'python3-greenlet', 'python3-dnspython', 'python3-netifaces', 'python3-pastedeploy',
  'python3-pyeclib', 'liberasurecode1', 'python3-requests', 'python3-urllib3', 'python3-chardet', 'python3-charset-normalizer',
  'python3-idna', 'python3-certifi', 'python3-six', 'python3-xattr', 'python3-lxml', 'python3-cffi', 'python3-cffi-backend',
  'python3-pycparser', 'python3-ply', 'python3-pkg-resources', 'python3-setuptools', 'python3-distutils', 'python3-packaging',
  'python3-cryptography', 'python3-openssl', 'python3.11-minimal', 'libpython3.11-minimal', 'libpython3.11-stdlib', 'libexpat1', 'libxml2',
  'libxslt1.1', 'libicu72', 'libssl3', 'libffi8',
  'libsqlite3-0',
];

/** Where the store listens, and who may write to it, as the settings of a gateway would have it. */
export type ObjectServer = {
  env: Record<'S3_ENDPOINT' | 'S3_ACCESS_KEY_ID' | 'S3_SECRET_ACCESS_KEY' | 'S3_BUCKET', string>;
  /** Kills its process and starts it again: with the same address, and with the objects that it has on its disk. */
  restart: () => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * OpenStack Swift with S3 in front and one empty bucket, `media`: a store of its own authors, which checks signatures and the sizes of
 * parts. @throws where it cannot be had: no network, or no Debian of this machine's kind.
 */
export async function startSwift(): Promise<ObjectServer> {
  const installed = await installSwift();
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-swift-'));
  let server = await startServer(installed, folder);
  const env = {
    S3_ENDPOINT: `http://127.0.0.1:${server.port}`, S3_ACCESS_KEY_ID: 'test:tester', S3_SECRET_ACCESS_KEY: 'testing', S3_BUCKET: 'media',
  };
  await makeBucket(env, 'media');
  return {
    env,
    async restart() {
      await server.kill();
      server = await startServer(installed, folder, server.port);
    },
    async stop() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** All servers of a Swift are one process. The port is a free one if none is named. */
async function startServer(installed: string, folder: string, at = '0'): Promise<{ port: string; kill: () => Promise<void> }> {
  const child = spawn(join(installed, 'usr/bin/python3.11'), [join(ROOT, 'test/harness/swift-server.py'), folder, at], {
    env: environment(installed), stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const said: string[] = [];
  createInterface(child.stderr).on('line', line => said.push(line));
  const [port] = await Promise.race([once(createInterface(child.stdout), 'line') as Promise<[string]>, ended.then(() => [''])]);
  if (port === '') throw new Error(`Swift did not start: ${said.join('\n')}`);
  return {
    port,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export async function makeBucket(env: ObjectServer['env'], name: string): Promise<void> {
  const client = s3Client(env);
  await client.send(new CreateBucketCommand({ Bucket: name }));
  client.destroy();
}

/** The SDK by itself. */
export function s3Client({ S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: ObjectServer['env']): S3Client {
  return new S3Client({
    endpoint: S3_ENDPOINT, region: 'us-east-1', forcePathStyle: true,
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
    requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** The gateway's view of the store. */
export function remoteStoreOf({ env }: ObjectServer): RemoteStore {
  const credentials = { accessKeyId: env.S3_ACCESS_KEY_ID, secretAccessKey: env.S3_SECRET_ACCESS_KEY };
  return remoteStore('s3', connect({ endpoint: env.S3_ENDPOINT, region: 'us-east-1', forcePathStyle: true, credentials }), env.S3_BUCKET);
}

async function installSwift(): Promise<string> {
  const folder = join(ROOT, '.data', 'swift');
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(join(dirname(folder), 'making-'));
  try {
    await fetchDebianPackages(work, { suite: 'bookworm', binary: PACKAGES });
    const made = join(work, 'made');
    for (const file of globSync(join(work, '*.deb'))) await run('dpkg-deb', ['-x', file, made]);
    await run(join(made, 'usr/bin/python3.11'), ['-c', 'import swift.proxy.server, swift.obj.server'], { env: environment(made) });
    if (!existsSync(folder)) renameSync(made, folder); // else another test was faster
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Its name server library reads what it need not. */
function environment(installed: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'], PYTHONHOME: join(installed, 'usr'), PYTHONPATH: join(installed, 'usr/lib/python3/dist-packages'),
    LD_LIBRARY_PATH: globSync(join(installed, 'usr/lib/*-linux-gnu')).join(':'), EVENTLET_NO_GREENDNS: 'yes',
  };
}
