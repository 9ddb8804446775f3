import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { pino, type Logger } from 'pino';
import { test, type Test } from 'tap';
import { createCaptcha, type Captcha, type CaptchaOptions } from '../../gateway/features/accounts/captcha/captcha.ts';
import { readConfig } from '../../gateway/features/config.ts';
import { createServer as createGateway } from '../../gateway/http/server.ts';
import type { Route } from '../../gateway/http/route.ts';
import { leaveOut } from '../harness/answers.ts';
import { collectGarbage } from '../harness/garbage.ts';
import { SECRET, startProvider } from './provider.ts';

const SILENT = pino({ level: 'silent' });

function captchaAt(url: string, options: Partial<CaptchaOptions> = {}): Captcha {
  return createCaptcha({
    provider: 'turnstile', secret: SECRET, routes: ['register', 'magicLink'], tokenField: 'captchaToken', verifyUrl: url, log: SILENT,
    ...options,
  });
}

/** A route of our own behind a real server: what account routes will do. */
async function protect(
  t: Test, captcha: Captcha, env: Record<string, string> = {},
): Promise<(body: string, headers?: Record<string, string>) => Promise<[number, string | undefined]>> {
  const route: Route = {
    method: 'POST', path: '/register', admit: () => undefined,
    handle: async call => { await captcha.require(call, 'register'); return { body: '{}' }; },
  };
  const server = createGateway({ config: readConfig({ NODE_ENV: 'test', PORT: '0', ...env }), routes: [route], features: [], log: SILENT });
  const { port } = await server.listen();
  t.teardown(() => server.close(1_000));
  leaveOut(port);
  return async (body, headers = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/register`,
      { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
    const { error } = await response.json() as { error?: { code: string } };
    return [response.status, error?.code];
  };
}

const inBody = (captchaToken: unknown) => JSON.stringify({ captchaToken });
const REQUIRED = [400, 'CAPTCHA_REQUIRED'];
const FAILED = [400, 'CAPTCHA_FAILED'];

test('a solution passes that the provider confirms', async t => {
  const { url, asked } = await startProvider(t);
  const post = await protect(t, captchaAt(url));
  t.same(await post(inBody('good')), [200, undefined]);
  t.same(asked, [{
    method: 'POST', type: 'application/x-www-form-urlencoded;charset=UTF-8',
    form: { secret: SECRET, response: 'good', remoteip: '127.0.0.1' },
  }]);
  t.same(await post(inBody('bad')), FAILED);
  t.same(await post(inBody('good&secret=other')), FAILED, 'a solution is one value of the form');
  t.equal(asked[2]?.form['secret'], SECRET);
});

test('without a solution the provider is not asked', async t => {
  const { url, asked } = await startProvider(t);
  const post = await protect(t, captchaAt(url));
  for (const body of [
    '{}', '', inBody(''), inBody('  '), inBody(null), inBody(1), inBody(['good']), inBody({ success: true }), '{"CaptchaToken":"good"}',
  ]) t.same(await post(body), REQUIRED, body);
  t.same(await post(inBody('x'.repeat(8_193))), FAILED, 'nor for what no provider issues');
  t.same(asked, []);
});

test('headers are read before the body, the own one first', async t => {
  const { url, asked } = await startProvider(t);
  const post = await protect(t, captchaAt(url));
  const hcaptcha = await protect(t, captchaAt(url, { provider: 'hcaptcha' }));
  t.same(await post(inBody('bad'), { 'cf-turnstile-response': 'good' }), [200, undefined]);
  t.same(await post(inBody('good'), { 'cf-turnstile-response': 'bad' }), FAILED);
  t.same(await post('{}', { 'h-captcha-response': 'good' }), [200, undefined]);
  t.same(await post('{}', { 'cf-turnstile-response': 'good', 'h-captcha-response': 'bad' }), [200, undefined]);
  t.same(await hcaptcha('{}', { 'cf-turnstile-response': 'bad', 'h-captcha-response': 'good' }), [200, undefined]);
  t.same(await post('not JSON', { 'cf-turnstile-response': 'good' }), [200, undefined], 'the body is for the route to judge');
  t.equal(asked.length, 6);
});

test('the field may have another name', async t => {
  const { url } = await startProvider(t);
  const post = await protect(t, captchaAt(url, { tokenField: 'challenge' }));
  t.same(await post('{"challenge":"good"}'), [200, undefined]);
  t.same(await post(inBody('good')), REQUIRED);
});

test('the address of the client is the one that a trusted proxy saw', async t => {
  const { url, asked } = await startProvider(t);
  const post = await protect(t, captchaAt(url), { TRUSTED_PROXY_HOPS: '1' });
  await post(inBody('good'), { 'x-forwarded-for': '198.51.100.1, 203.0.113.9' });
  t.equal(asked[0]?.form['remoteip'], '203.0.113.9');
});

test('a provider that does not confirm has not confirmed', async t => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    'an error': response => response.writeHead(500).end('{"success":true}'),
    'no JSON': response => response.end('success'),
    'another word': response => response.end('{"success":"true"}'),
    'null': response => response.end('null'),
    'a list': response => response.end('[true]'),
    'nothing': response => response.end(),
    'a redirect': response => response.writeHead(307, { location: '/elsewhere' }).end(),
    'half an answer': response => { response.writeHead(200, { 'content-length': '100' }).write('{"success":true}'); response.destroy(); },
  };
  for (const [what, answer] of Object.entries(answers)) {
    const { url, asked } = await startProvider(t, answer);
    t.same(await (await protect(t, captchaAt(url)))(inBody('good')), FAILED, what);
    t.equal(asked.length, 1);
  }
  t.same(await (await protect(t, captchaAt('http://127.0.0.1:9/siteverify')))(inBody('good')), FAILED, 'nobody there');
});

test('a provider that does not answer or does not finish delays no request', async t => {
  collectGarbage(t);
  for (const answer of [() => undefined, (response: ServerResponse) => { response.writeHead(200).write('{"success":'); }]) {
    const { url } = await startProvider(t, answer);
    const post = await protect(t, captchaAt(url, { patience: 50 }));
    t.same(await post(inBody('good')), FAILED);
  }
});

test('only routes that are listed ask for one', async t => {
  const { url, asked } = await startProvider(t);
  const unlisted = await protect(t, captchaAt(url, { routes: ['login'] }));
  t.same(await unlisted('{}'), [200, undefined]);
  const off = await protect(t, captchaAt(url, { provider: undefined }));
  t.same(await off('{}'), [200, undefined]);
  t.same(asked, []);
});

test('a secret that the provider refuses is reported to the operator, without its value', async t => {
  const lines: string[] = [];
  const log: Logger = pino(new Writable({ write(line, _encoding, done) { lines.push(String(line)); done(); } }));
  const { url } = await startProvider(t);
  const post = await protect(t, captchaAt(url, { secret: 'another-secret', log }));
  t.same(await post(inBody('good')), FAILED);
  t.match(lines, [/"level":50.*CAPTCHA_SECRET/]);
  t.notMatch(lines.join(''), /another-secret|good/);
});

test('a partial configuration does not start', t => {
  const problemsOf = (env: Record<string, string>): string[] => {
    try {
      readConfig(env);
      return [];
    } catch (error) {
      return (error as Error).message.split('\n');
    }
  };
  t.same(problemsOf({ CAPTCHA_PROVIDER: 'turnstile' }), ['CAPTCHA_SECRET is required with CAPTCHA_PROVIDER.']);
  t.same(problemsOf({ CAPTCHA_SITE_KEY: 'of the frontend' }), []);
  t.same(problemsOf({ CAPTCHA_SECRET: 'x', CAPTCHA_ROUTES: 'login' }).sort(),
    ['CAPTCHA_ROUTES does nothing without CAPTCHA_PROVIDER.', 'CAPTCHA_SECRET does nothing without CAPTCHA_PROVIDER.']);
  t.match(problemsOf({ CAPTCHA_PROVIDER: 'recaptcha', CAPTCHA_SECRET: 'x' }), [/^CAPTCHA_PROVIDER must be one of turnstile, hcaptcha/]);
  t.match(problemsOf({ CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_SECRET: 'x', CAPTCHA_ROUTES: 'register,logout' }),
    [/^CAPTCHA_ROUTES must be a comma-separated list of register/]);
  t.match(problemsOf({ CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_SECRET: 'x', CAPTCHA_ROUTES: ',' }), [/^CAPTCHA_ROUTES must be/]);
  t.match(problemsOf({ CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_SECRET: 'x', CAPTCHA_VERIFY_URL: 'siteverify' }),
    [/^CAPTCHA_VERIFY_URL must be/]);
  t.same(readConfig({ CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_SECRET: 'x', CAPTCHA_SITE_KEY: 'of the frontend' }).captchaRoutes,
    ['register', 'forgotPassword', 'magicLink', 'emailOtp']);
  t.same(readConfig({ CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_SECRET: 'x', CAPTCHA_ROUTES: 'login, register,login' }).captchaRoutes,
    ['login', 'register']);
  t.end();
});
