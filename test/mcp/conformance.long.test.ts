// The conformance suite of the protocol, through a relay that adds what it does not send: a bearer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { installPackages } from '../harness/install.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { browse } from '../oauth/browser.ts';
import { serveOAuth, type OAuthService } from '../oauth/clients.ts';

/** A lockfile of its own: the suite brings clients of GitHub, which only it needs. */
const FOLDER = join(import.meta.dirname, 'conformance');
const SUITE = join(FOLDER, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** The checks that want tools, prompts or resources of a server for tests. One that fails and is not here, or passes and is here, fails. */
const BASELINE = join(FOLDER, 'baseline.yml');
const HANDSHAKES = ['2025-06-18', '2025-11-25'];
const STATELESS = '2026-07-28';

const SCENARIOS: Record<string, string[]> = {
  'server-initialize': HANDSHAKES,
  'ping': HANDSHAKES,
  'tools-list': [...HANDSHAKES, STATELESS],
  'dns-rebinding-protection': ['2025-11-25', STATELESS],
  'server-stateless': [STATELESS],
  'caching': [STATELESS],
  'http-header-validation': [STATELESS],
};

test('the conformance suite', async t => {
  if (!await isInstalled()) {
    t.comment('The npm registry cannot be reached: the suite is not installed.');
    return;
  }
  const { service, relay } = await serveBehindRelay(t);

  for (const [scenario, versions] of Object.entries(SCENARIOS)) {
    for (const version of versions) {
      const { code, output } = await run([
        'server', '--url', `${relay}/mcp`, '--scenario', scenario, '--spec-version', version, '--expected-failures', BASELINE,
      ]);
      t.equal(code, 0, `${scenario} ${version}`);
      if (code !== 0) t.comment(output);
      t.match(output, /Passed: [1-9]/, `${scenario} ${version} checks something`);
    }
  }

  const port = await freePort();
  const client = await service.registerClient({ redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  const ada = await service.register('ada@example.org');
  const { code, output } = await run(
    ['authorization', '--url', relay, '--client-id', client.client_id, '--port', String(port)],
    async url => { await fetch(await browse(service, ada, url)); },
  );
  t.equal(code, 0, 'authorization');
  if (code !== 0) t.comment(output);
});

async function isInstalled(): Promise<boolean> {
  try {
    await installPackages(FOLDER);
    return true;
  } catch (error) {
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED/.test(String(error))) return false;
    throw error;
  }
}

/** `browsed`: called with each URL that a person is asked to open. */
async function run(
  args: string[], browsed: (url: URL) => Promise<void> = () => Promise.resolve(),
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [SUITE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, isAsked] = ['', false];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      const [, url] = /^(http\S+\/oauth\/authorize\?\S+)\n/m.exec(output) ?? [];
      if (url === undefined || isAsked) return;
      isAsked = true;
      browsed(new URL(url)).catch((error: unknown) => { output += String(error); child.kill(); });
    });
  }
  const [code] = await once(child, 'close') as [number | null];
  return { code, output };
}

/** The relay has the public address, and passes on what it gets but for the bearer. */
async function serveBehindRelay(t: Test): Promise<{ service: OAuthService; relay: string }> {
  const target = { address: '', bearer: '' };
  const server = createServer((incoming, outgoing) => {
    const headers = { authorization: `Bearer ${target.bearer}`, ...incoming.headers };
    incoming.pipe(request(`${target.address}${incoming.url ?? ''}`, { method: incoming.method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    }));
  });
  const relay = `http://localhost:${await portOf(server)}`;
  t.teardown(() => { server.closeAllConnections(); server.close(); });
  const service = await serveOAuth(t, { SERVICE_PUBLIC_URL: relay }, { template: 'served_store' });
  const { body } = await service.request('/admin/api-keys', {
    method: 'POST', as: SERVICE_KEY, body: JSON.stringify({ name: 'agent', scopes: ['data:read'] }),
  });
  Object.assign(target, { address: service.address, bearer: body.key.key });
  return { service, relay };
}

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
