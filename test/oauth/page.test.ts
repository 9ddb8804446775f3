// The consent page, without a browser.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { test } from 'tap';
import { SECRET } from '../captcha/provider.ts';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { openService } from '../harness/service.ts';
import { requestOf, serveOAuth, SETTINGS } from './clients.ts';

test('scopes are in the words of the scope table, which the documentation repeats', async t => {
  const service = await serveOAuth(t);
  const client = await service.registerClient();
  const { scopes } = (await service.request('/auth/scopes')).body as { scopes: { scope: string; label: string }[] };
  const documented = readFileSync(join(ROOT, 'docs/mcp.md'), 'utf8');
  for (const scope of ['data:read', 'data:write', 'data:delete']) {
    const label = scopes.find(row => row.scope === scope)?.label ?? '';
    t.match((await service.authorize({ ...requestOf(client), scope })).html, `<li>${label}</li>`);
    t.match((await service.authorize({ ...requestOf(client), scope: `${scope}:posts` })).html, `<li>${label} of posts only</li>`);
    t.match(documented, `| \`${scope}\` | ${label} |`);
  }
});

test('hosts of a captcha are in the policy of the page only where it has to show one', async t => {
  const turnstile = { CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SECRET: SECRET, CAPTCHA_SITE_KEY: 'of the widget' };
  const cases: [Record<string, string>, RegExp | undefined][] = [
    [{}, undefined], [{ CAPTCHA_SITE_KEY: 'of a frontend' }, undefined],
    [{ ...turnstile, CAPTCHA_ROUTES: 'register,forgotPassword' }, undefined],
    [{ CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SECRET: SECRET }, undefined],
    [turnstile, /script-src 'nonce-[^ ]+' https:\/\/challenges\.cloudflare\.com; .*frame-src https:\/\/challenges\.cloudflare\.com/],
    [{ ...turnstile, CAPTCHA_PROVIDER: 'hcaptcha', CAPTCHA_ROUTES: 'login' },
      /script-src 'nonce-[^ ]+' https:\/\/hcaptcha\.com https:\/\/\*\.hcaptcha\.com; .*frame-src https:\/\/hcaptcha\.com/],
  ];
  for (const [env, hosts] of cases) {
    const service = await serveOAuth(t, env);
    const { headers } = await service.authorize(requestOf(await service.registerClient()));
    const policy = headers.get('content-security-policy') ?? '';
    t.match(policy, hosts ?? /^(?!.*(?:frame-src|captcha|cloudflare))/, JSON.stringify(env));
    const names = policy.split('; ').map(part => part.split(' ')[0]);
    t.equal(new Set(names).size, names.length, 'each directive once');
  }
});

test('a start says that the page cannot show the captcha that its ways in ask for', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const asked = { CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SECRET: SECRET };
  const cases: [Record<string, string>, number][] = [
    [asked, 1], [{ ...asked, CAPTCHA_SITE_KEY: 'of the widget' }, 0], [{ ...asked, CAPTCHA_ROUTES: 'register' }, 0], [{}, 0],
  ];
  for (const [env, times] of cases) {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => { lines.push(line); } });
    const service = await openService(url, { ...SETTINGS, ...env }, url, log);
    await service.close();
    t.equal(lines.filter(line => line.includes('CAPTCHA_SITE_KEY is not set')).length, times, JSON.stringify(env));
  }
});
