// Two eras on one path, told apart by the request alone.
import { test } from 'tap';
import { tokenFor } from '../harness/service.ts';
import { rawClient } from '../http/serve.ts';
import { createMcp, ORIGIN, STATELESS, type Rpc } from './agent.ts';

const CLIENT = ['data:read', 'data:write', 'data:delete'];
const errorOf = ({ status, body }: Rpc) => [status, body?.error?.code];

test('the challenge comes before any judgement of the request', async t => {
  const mcp = await createMcp(t);
  const session = await tokenFor('somebody', ['admin']);
  t.equal((await mcp.request('/data/tags', { as: session })).status, 200);
  const metadata = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`;
  for (const [name, headers, error] of [
    ['no credential', {}, 'unauthorized'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'unauthorized'],
    ['a token of nobody', { authorization: 'Bearer x' }, 'invalid_token'],
    ['a key that does not exist', { authorization: `Bearer rk_live_${'0'.repeat(32)}` }, 'invalid_token'],
    ['a session', { authorization: `Bearer ${session}` }, 'invalid_token'],
    ['the service key', { authorization: `Bearer ${mcp.serviceKey}` }, 'invalid_token'],
  ] as const) {
    for (const body of ['{', '{"jsonrpc":"2.0","id":1,"method":"initialize"}']) {
      const answer = await mcp.post(body, { ...headers, origin: 'https://elsewhere.example', 'mcp-protocol-version': '1' });
      t.equal(answer.status, 401, name);
      t.equal(answer.body.error, error, name);
      const challenge = answer.headers.get('www-authenticate') ?? '';
      t.ok(challenge.startsWith('Bearer ') && challenge.includes(metadata) && challenge.includes('scope="data:read"'), challenge);
      t.equal(challenge.includes('error="invalid_token"'), error === 'invalid_token');
    }
  }
  for (const method of ['GET', 'DELETE']) {
    t.equal((await fetch(`${mcp.address}/mcp`, { method })).status, 401, method);
  }
});

test('pages of other origins may not call, and there are no streams', async t => {
  const mcp = await createMcp(t, { env: { CORS_ORIGINS: 'https://app.example', NODE_ENV: 'test' } });
  const key = await mcp.key(CLIENT);
  const ping = { method: 'ping' };
  for (const [origin, status] of [[ORIGIN, 200], ['https://app.example', 200], ['https://evil.example', 403], ['null', 403]] as const) {
    t.equal((await mcp.ask(key, ping, { origin })).status, status, origin);
  }
  for (const method of ['GET', 'DELETE']) {
    const answer = await fetch(`${mcp.address}/mcp`, { method, headers: { authorization: `Bearer ${key}` } });
    t.equal(answer.status, 405, method);
    t.equal(answer.headers.get('allow'), 'POST');
  }
});

test('a handshake agrees on a revision, and what follows it needs none', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(CLIENT);
  for (const [asked, agreed] of [
    ['2025-03-26', '2025-03-26'], ['2025-06-18', '2025-06-18'], ['2025-11-25', '2025-11-25'], ['2024-11-05', '2025-11-25'],
    [7, '2025-11-25'],
  ]) {
    const { status, body, headers } = await mcp.ask(key, { method: 'initialize', params: { protocolVersion: asked } });
    t.equal(status, 200);
    t.match(body, { jsonrpc: '2.0', id: 1, result: { protocolVersion: agreed, serverInfo: { name: 'rowgate' }, instructions: /data/ } });
    t.same(body.result.capabilities, { tools: { listChanged: false } });
    t.equal(headers.get('mcp-session-id'), null);
  }
  t.same((await mcp.ask(key, { method: 'ping', id: 'a' })).body, { jsonrpc: '2.0', id: 'a', result: {} });
  for (const version of ['2025-03-26', '2025-06-18', '2025-11-25']) {
    t.equal((await mcp.ask(key, { method: 'tools/list' }, { 'mcp-protocol-version': version })).status, 200, version);
  }
  t.same(errorOf(await mcp.ask(key, { method: 'tools/list' }, { 'mcp-protocol-version': '2024-11-05' })), [400, -32022]);
});

test('messages of the handshake\'s era that are wrong', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(CLIENT);
  const as = { authorization: `Bearer ${key}` };
  const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  for (const [body, expected] of [
    ['', [400, -32700]], ['{', [400, -32700]], ['\ud800', [400, -32700]], ['{"a":1} x', [400, -32700]],
    ['1', [200, -32600]], ['null', [200, -32600]], ['"ping"', [200, -32600]], ['{}', [200, -32600]], ['{"id":1,"method":7}', [200, -32600]],
    ['{"id":{},"method":"ping"}', [200, -32600]], ['{"id":true,"method":"ping"}', [200, -32600]],
    ['{"id":1,"method":"ping","params":[]}', [200, -32600]], ['{"id":1,"method":"nope"}', [200, -32601]],
    ['{"id":1,"method":"toString"}', [200, -32601]], ['{"id":1,"method":"__proto__"}', [200, -32601]],
    ['{"id":1,"method":"resources/list"}', [200, -32601]],
    ['{"id":1,"method":"tools/call"}', [200, -32602]], ['{"id":1,"method":"tools/call","params":{"name":"nope"}}', [200, -32602]],
    ['{"id":1,"method":"tools/call","params":{"name":"get_document","arguments":[]}}', [200, -32602]],
    ['[]', [400, -32600]], [`[${Array.from({ length: 21 }, () => ping).join()}]`, [400, -32600]],
  ] as const) {
    t.same(errorOf(await mcp.post(body, as)), expected, body.slice(0, 60));
  }
  const long = await mcp.post('{"id":12345678901234567890,"method":"ping"}', as);
  t.equal(long.text, '{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}');
  for (const body of [notification, `[${notification}]`, '{"method":"nope"}', '{"id":null,"method":"ping"}']) {
    const { status, text } = await mcp.post(body, as);
    t.same([status, text], [202, ''], body);
  }
  const batch = await mcp.post(`[${ping},${notification},{"id":2,"method":"nope"},7,${ping}]`, as);
  t.equal(batch.status, 200);
  t.same(batch.body.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code]),
    [[1, undefined], [2, -32601], [null, -32600], [1, undefined]]);
  t.equal((await mcp.post(ping, { ...as, 'content-type': 'text/plain' })).body.error.code, 'UNSUPPORTED_MEDIA_TYPE');
});

test('a request of the stateless era says all by itself', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(CLIENT);
  const discovered = await mcp.askAlone(key, { method: 'server/discover' });
  t.equal(discovered.status, 200);
  t.match(discovered.body.result, {
    resultType: 'complete', ttlMs: Number, cacheScope: 'private', capabilities: { tools: {} },
    supportedVersions: [STATELESS, '2025-11-25', '2025-06-18', '2025-03-26'],
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'rowgate', version: /^\d/ } },
  });
  const listed = await mcp.askAlone(key, { method: 'tools/list' });
  t.match(listed.body.result, { resultType: 'complete', cacheScope: 'private' });
  t.equal(listed.body.result.tools.length, 7);
  const called = await mcp.askAlone(key, { method: 'tools/call', params: { name: 'list_collections', arguments: {} } });
  t.match(called.body.result, { resultType: 'complete', content: [{ type: 'text' }], structuredContent: { collections: [] } });
  t.equal(called.body.result.ttlMs, undefined, 'rows are not kept');
});

test('a request of the stateless era that is wrong has a status', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(CLIENT);
  const version = { 'mcp-protocol-version': STATELESS };
  const [VERSION, CAPABILITIES] = ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'];
  const list = { method: 'tools/list' };
  const tool = { method: 'tools/call', params: { name: 'list_collections' } };
  const named = (name: string) => ({ 'mcp-name': name });
  for (const [name, answer, expected] of [
    ['no _meta', mcp.ask(key, list, version), [400, -32602]],
    ['no revision', mcp.ask(key, { ...list, params: { _meta: { [CAPABILITIES]: {} } } }, version), [400, -32602]],
    ['no capabilities', mcp.askAlone(key, { ...list, params: { _meta: { [VERSION]: STATELESS } } }), [400, -32602]],
    ['no headers', mcp.ask(key, { ...list, params: { _meta: { [VERSION]: STATELESS, [CAPABILITIES]: {} } } }), [400, -32020]],
    ['another revision in the header', mcp.askAlone(key, list, { 'mcp-protocol-version': '2025-11-25' }), [400, -32020]],
    ['another method in the header', mcp.askAlone(key, list, { 'mcp-method': 'tools/call' }), [400, -32020]],
    ['a method in capitals', mcp.askAlone(key, list, { 'mcp-method': 'TOOLS/LIST' }), [400, -32020]],
    ['another tool in the header', mcp.askAlone(key, tool, named('get_document')), [400, -32020]],
    ['bad Base64', mcp.askAlone(key, tool, named('=?base64?bGlzd?=')), [400, -32020]],
    ['a revision of later', mcp.askAlone(key, { ...list, params: { _meta: { [VERSION]: '2099-01-01', [CAPABILITIES]: {} } } },
      { 'mcp-protocol-version': '2099-01-01' }), [400, -32022]],
    ['a handshake', mcp.askAlone(key, { method: 'initialize' }), [404, -32601]],
    ['a ping', mcp.askAlone(key, { method: 'ping' }), [404, -32601]],
    ['no method of ours', mcp.askAlone(key, { method: 'resources/list' }), [404, -32601]],
    ['no tool of ours', mcp.askAlone(key, { method: 'tools/call', params: { name: 'nope' } }), [200, -32602]],
    ['no object', mcp.post('7', { authorization: `Bearer ${key}`, ...version }), [400, -32600]],
    ['a batch', mcp.ask(key, [list], version), [200, undefined]],
  ] as const) {
    const { status, body } = await answer;
    t.same([status, body.error?.code], expected, name);
  }
  const unsupported = await mcp.ask(key, list, { 'mcp-protocol-version': '2099-01-01' });
  t.match(unsupported.body.error, { code: -32022, data: { requested: '2099-01-01', supported: [STATELESS, '2025-11-25'] } });
  t.match((await mcp.ask(key, [list], version)).body, [{ error: { code: -32600 } }], 'requests of it come one by one');
  const wrapped = `=?base64?${Buffer.from('list_collections').toString('base64')}?=`;
  for (const header of [wrapped, '  list_collections  ']) t.equal((await mcp.askAlone(key, tool, named(header))).status, 200, header);
});

test('what is missing is said, and the documents are then not there', async t => {
  for (const [env, setting] of [
    [{ SERVICE_MCP_ENABLED: 'false' }, 'SERVICE_MCP_ENABLED'],
    [{ SERVICE_MCP_ENABLED: 'true', SERVICE_PUBLIC_URL: '' }, 'SERVICE_PUBLIC_URL'],
    [{ SERVICE_MCP_ENABLED: 'true', SERVICE_AUTH: 'off' }, 'SERVICE_AUTH'],
  ] as const) {
    const mcp = await createMcp(t, { template: 'served', env });
    const { status, body } = await mcp.post('{}', {});
    t.match({ status, error: body.error }, { status: 501, error: { code: 'FEATURE_DISABLED', details: { feature: 'mcp', setting } } });
    t.equal((await fetch(`${mcp.address}/.well-known/oauth-protected-resource`)).status, 404, setting);
  }
});

test('a call that writes is answered before the next request of its connection is read', async t => {
  const mcp = await createMcp(t);
  const key = await mcp.key(['data:write', 'data:read'], ['admin']);
  const client = await rawClient(t, Number(new URL(mcp.address).port));
  const request = (id: number) => {
    const params = { name: 'create_document', arguments: { collection: 'tags', values: { name: `Tag ${id}` } } };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
    return `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
      + `Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  client.send(request(1));
  await mcp.sql`select 1`;
  client.send(request(2));
  t.match(await client.until(/"id":2.*Tag 2/s), /"id":1.*Tag 1/s);
});
