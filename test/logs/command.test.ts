import { connect } from 'node:net';
import { test } from 'tap';
import { runCommand, startGateway } from '../boot/gateway.ts';
import { projectFolder } from '../functions/serve.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { startService } from '../workers/service.ts';
import type { Entry } from './client.ts';

test('rowgate logs prints what the service has, and goes on with --follow', async t => {
  const { address, port, gateway } = await startService(t);
  const env = { PORT: port };
  const ask = (path: string) => fetch(`${address}${path}`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } });
  await ask('/data/products/1');
  await ask('/nothing/%1B');
  const all = await runCommand(t, ['logs'], env);
  t.match(all.output, /^\S+Z info {2}api {6}GET \/api\/data\/products\/1 200 \d+ms [0-9a-f-]{36}$/m);
  t.ok(all.output.indexOf('products/1') < all.output.indexOf('/nothing/'), 'the newest last');
  const { output, code } = await runCommand(t, ['logs', '--search', '/NOTHING', '--json'], env);
  t.match(JSON.parse(output) as Entry, { level: 'info', metadata: { path: '/api/nothing/%1B', status: 404 } });
  t.equal(code, 0);
  t.equal((await runCommand(t, ['logs', '--level', 'error'], env)).output, '');

  const following = startGateway(t, env, undefined, 'cli.ts', ['logs', '--follow', '--search', 'products']);
  await until('the first', () => following.output().includes('products/1'));
  await ask('/data/products/2');
  await until('the next', () => following.output().includes('products/2'));
  gateway.process.kill('SIGTERM');
  const end = await following.ended;
  t.same([end.code, end.stderr], [1, 'The stream of the service has ended.\n']);

  t.match(await runCommand(t, ['logs'], env), { code: 1, stderr: /^No service answers at http/ });
  t.match(await runCommand(t, ['logs', '--level', 'loud'], env), { code: 1, stderr: '--level must be one of info, warn, error.\n' });
});

test('rowgate logs says why it is refused', async t => {
  const { port } = await startService(t);
  const env = { PORT: port, SERVICE_SERVICE_KEY: 'another-service-key-0123456789abcdefghij' };
  t.match(await runCommand(t, ['logs'], env), { code: 1, stderr: /answers 401 UNAUTHORIZED: / });
});

/** Texts that would move the cursor of a terminal, end its line, or are no characters. */
const ODD = [
  'lines\nof\r\nthis', 'an escape \u001b[2J\u001b]0;title\u0007', 'one byte \u009b31m', 'backspaces\b\b\b and \u007f',
  'right to left \u202e', 'separators \u2028 \u2029', 'a half \ud800 and \udc00', 'a null \0', 'a tag \u{e0001}',
  'a zero width\u200b\ufeff', 'plain \\u001b 💩',
];
/** A terminal shows none of them as they are. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test('no text of the log moves the cursor of a terminal', async t => {
  const { folder } = projectFolder(t, { 'say.js': `import { Hono } from 'hono';
    export default new Hono()
      .get('/', c => { for (const text of ${JSON.stringify(ODD)}) console.log(text); return c.text('said'); })
      .get('/fail', () => { throw new Error(${JSON.stringify(ODD.join(' '))}); });` });
  const { address, port } = await startService(t, { SERVICE_FUNCTIONS_DIR: folder, SERVICE_WORKERS: '1' });
  const env = { PORT: port };
  const ask = async (path: string) => (await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } })).status;
  t.same([await ask('/functions/say'), await ask('/functions/say/fail')], [200, 500]);
  await sendBytes(port, 'GET /api/\xc2\x9b31m\xe2\x80\xae\xed\xa0\x80 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  const messages = await until('all is said', async () => {
    const { output } = await runCommand(t, ['logs', '--json'], env);
    t.notMatch(output.replaceAll('\n', ''), UNSHOWN);
    const found = output.trimEnd().split('\n').map(line => (JSON.parse(line) as Entry).message);
    return ODD.every(text => found.includes(text)) && found;
  });
  t.ok(messages.some(message => message.includes('/api/\u009b31m\u202e')), 'the path of a request, too');

  const { output } = await runCommand(t, ['logs'], env);
  const lines = output.trimEnd().split('\n');
  t.equal(lines.length, messages.length + 1, 'an entry is a line, and the command asked once');
  t.same(lines.filter(line => UNSHOWN.test(line)), []);
  t.ok(lines.some(line => line.includes('an escape \\u001b[2J\\u001b]0;title\\u0007')));
  t.ok(lines.some(line => line.includes('a tag \\udb40\\udc01')));
  t.ok(lines.some(line => line.includes('request failed (lines\\nof\\r\\nthis an escape')));

  for (const more of [[], ['--json']]) {
    const following = startGateway(t, env, undefined, 'cli.ts', ['logs', '--follow', ...more]);
    await until('all', () => following.output().split('\n').length > lines.length);
    t.notMatch(following.output().replaceAll('\n', ''), UNSHOWN);
  }
});

/** Sends what no client would, and waits for the end of the connection. */
async function sendBytes(port: string, bytes: string): Promise<void> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(Buffer.from(bytes, 'latin1'));
  await socket.toArray();
}
