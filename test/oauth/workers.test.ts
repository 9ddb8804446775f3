// Two workers are one OAuth server.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { agentsAt } from '../mcp/agent.ts';
import { fromAnywhere, REDIRECT, requestOf, VERIFIER } from './clients.ts';
import { startProcess } from './served.ts';

const BOTH = ['1', '2'];
const DOCUMENTS = [
  '/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server',
];

type Said = { worker: string; status: number; body: string };

test('documents, request tokens, codes and consents are one over the workers', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { service } = await startProcess(t, { DATABASE_URL: url, SERVICE_WORKERS: '2', DB_POOL_MAX: '12' });
  const client = await service.registerClient();
  const ada = await service.register('ada@example.org');

  for (const path of DOCUMENTS) {
    const byWorker = new Map<string, string>();
    await until(`both workers answer ${path}`, async () => {
      const { worker, status, body } = await ask('GET', path);
      if (status === 200) byWorker.set(worker, body);
      return byWorker.size === 2;
    });
    t.equal(new Set(byWorker.values()).size, 1, `${path} is equal in both`);
  }

  // A connection each, and so both workers: what one has judged, the other knows.
  const seen = new Set<string>();
  for (let n = 0; n < 5 || seen.size < 2; n++) {
    const decision = { request_token: await service.ask(requestOf(client)), session_token: ada.access, decision: 'allow' };
    const decided = await Promise.all(Array.from({ length: 8 }, () => form('/api/oauth/authorize/decision', decision)));
    const codes = decided.flatMap(({ location }) => location === undefined ? [] : [new URL(location).searchParams.get('code')]);
    t.equal(codes.length, 1, 'a request token is decided once');
    for (const { worker } of decided) seen.add(worker);
  }
  t.same([...seen].sort(), BOTH);
  seen.clear();
  for (let n = 0; n < 5 || seen.size < 2; n++) {
    const code = await service.codeFor(client, ada);
    const fields = { grant_type: 'authorization_code', ...client, code, redirect_uri: REDIRECT, code_verifier: VERIFIER };
    const answers = await Promise.all(Array.from({ length: 8 }, () => form('/api/oauth/token', fields)));
    t.equal(answers.filter(({ status }) => status === 200).length, 1, 'a code is redeemed once');
    for (const { worker } of answers) seen.add(worker);
  }
  t.same([...seen].sort(), BOTH);

  const { access_token: bearer } = await service.letIn(client, ada);
  const ping = () => ask('POST', '/mcp', { 'authorization': `Bearer ${bearer}`, 'content-type': 'application/json' },
    '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  await answeredAlike(200);
  t.equal((await service.request(`/oauth/grants/${client.client_id}`, { method: 'DELETE', as: ada.access })).status, 200);
  await answeredAlike(401);
  const answers = await Promise.all(Array.from({ length: 16 }, ping));
  t.same(new Set(answers.map(({ status }) => status)), new Set([401]), 'and stays so');
  t.equal((await agentsAt(service).ask(bearer, { method: 'ping' })).status, 401);

  async function answeredAlike(expected: number): Promise<void> {
    const workers = new Set<string>();
    await until(`both workers answer ${expected}`, async () => {
      const { worker, status } = await ping();
      if (status === expected) workers.add(worker);
      return workers.size === 2;
    });
  }

  function form(path: string, fields: Record<string, string>): ReturnType<typeof ask> {
    const headers = { ...fromAnywhere(), 'content-type': 'application/x-www-form-urlencoded' };
    return ask('POST', path, headers, new URLSearchParams(fields).toString());
  }

  /** On a connection of its own, since it is connections that are shared out. */
  function ask(method: string, path: string, headers = {}, body = ''): Promise<Said & { location: string | undefined }> {
    return new Promise((resolve, reject) => {
      request(`${service.address}${path}`, { method, headers, agent: false }, answer => {
        const { 'x-rowgate-worker': worker, location } = answer.headers;
        text(answer).then(body => resolve({ worker: String(worker), status: answer.statusCode ?? 0, body, location }), reject);
      }).on('error', reject).end(body);
    });
  }
});
