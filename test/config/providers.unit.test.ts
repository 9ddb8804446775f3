import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { secretVariables } from '../../gateway/config/secret-files.ts';
import { unknownSettings } from '../../gateway/config/unknown-settings.ts';
import { RESERVED } from '../../gateway/features/accounts/providers/read-providers.ts';
import { ROWS } from '../../gateway/features/accounts/providers/rows.ts';
import { readConfig, type Config, type Environment } from '../../gateway/features/config.ts';
import { settingsIn } from '../../gateway/features/settings.ts';
import { ROOT } from '../harness/server.ts';

const GITHUB = { GITHUB_CLIENT_ID: 'app', GITHUB_CLIENT_SECRET: 'secret' };
const ACME = { SERVICE_OIDC_ACME_ISSUER: 'https://id.acme.example', SERVICE_OIDC_ACME_CLIENT_ID: 'app' };

function configWith(t: Test, env: Environment, providers: object = {}): Config {
  const folder = mkdtempSync(join(tmpdir(), 'providers-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  writeFileSync(join(folder, 'rowgate.json'), JSON.stringify({ auth: { providers } }));
  writeFileSync(join(folder, 'secret'), 'of a file\n');
  const SERVICE_CONFIG_FILE = join(folder, 'rowgate.json');
  return readConfig({ SERVICE_CONFIG_FILE, ...env, ...(env['FILE'] !== undefined && { [env['FILE']]: join(folder, 'secret') }) });
}

function problemsWith(t: Test, env: Environment, providers: object = {}): string[] {
  try {
    configWith(t, env, providers);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

test('every provider with a row is configured by its variables alone', t => {
  for (const { name } of ROWS) {
    const prefix = name.toUpperCase();
    const parts = name === 'apple' ? ['CLIENT_ID', 'TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'] : ['CLIENT_ID', 'CLIENT_SECRET'];
    const env = Object.fromEntries(parts.map(part => [`${prefix}_${part}`, 'x']));
    t.match(configWith(t, env).providers, [{ name, clientId: 'x' }]);
    for (const part of parts.filter(part => !(name === 'google' && part === 'CLIENT_SECRET'))) {
      const { [`${prefix}_${part}`]: left, ...rest } = env;
      const [first = ''] = Object.keys(rest);
      t.same(problemsWith(t, rest), [`${prefix}_${part} is required with ${first}.`], `half of ${name}, ${left ?? ''}`);
    }
  }
  t.match(configWith(t, { GOOGLE_CLIENT_ID: 'x' }).providers, [{ name: 'google', clientSecret: undefined }]);
  t.same(configWith(t, {}).providers, []);
  t.end();
});

test('secrets of providers may come from files', t => {
  t.match(configWith(t, { GITHUB_CLIENT_ID: 'app', FILE: 'GITHUB_CLIENT_SECRET_FILE' }).providers, [{ clientSecret: 'of a file' }]);
  const fromFile = configWith(t, { ...ACME, FILE: 'SERVICE_OIDC_ACME_CLIENT_SECRET_FILE' });
  t.match(fromFile.providers, [{ name: 'acme', clientSecret: 'of a file' }]);
  const secrets = secretVariables(settingsIn({ ...ACME, SERVICE_OIDC_ACME_CLIENT_SECRET: 'x' }));
  const ofAcme = 'SERVICE_OIDC_ACME_CLIENT_SECRET';
  for (const name of ['GITHUB_CLIENT_SECRET', 'APPLE_PRIVATE_KEY', ofAcme, `${ofAcme}_FILE`]) {
    t.ok(secrets.has(name), `${name} is a secret, which functions of the project do not see`);
  }
  t.end();
});

test('any issuer has a name, which its route has in lower case', t => {
  const env = { SERVICE_OIDC_BIG_CO_ISSUER: 'http://127.0.0.1:9/a', SERVICE_OIDC_BIG_CO_CLIENT_ID: 'app' };
  t.match(configWith(t, env).providers, [{ name: 'big-co', kind: 'openid', issuer: 'http://127.0.0.1:9/a', clientSecret: undefined }]);
  t.same(unknownSettings(settingsIn({ ...env, ...ACME }), { ...env, ...ACME }), []);
  const said = (name: string, more: Environment = {}) => problemsWith(t, {
    [`SERVICE_OIDC_${name}_ISSUER`]: 'https://id.example', [`SERVICE_OIDC_${name}_CLIENT_ID`]: 'app', ...more });
  t.match(said('GOOGLE'), ['SERVICE_OIDC_GOOGLE_ISSUER: /auth/google is the service\'s own; choose another name.']);
  for (const route of RESERVED) t.match(said(route.toUpperCase().replaceAll('-', '_')), [/the service's own/], route);
  for (const name of ['Acme', 'acme', '_ACME', 'ACME_', 'A.B', 'Ä', 'A'.repeat(41)]) t.match(said(name), [/: a name has 1 to 40/], name);
  t.same(problemsWith(t, { SERVICE_OIDC_ACME_ISSUER: 'https://id.example' }),
    ['SERVICE_OIDC_ACME_CLIENT_ID is required with SERVICE_OIDC_ACME_ISSUER.']);
  t.same(problemsWith(t, { SERVICE_OIDC_ACME_CLIENT_SECRET: 'x' }),
    ['SERVICE_OIDC_ACME_ISSUER is required with the other variables of this name.']);
  t.end();
});

test('the settings file replaces addresses, scopes and trust', t => {
  const [github, google] = [...configWith(t, { ...GITHUB, GOOGLE_CLIENT_ID: 'app' }, {
    github: {
      authorizationUrl: 'https://git.example/a', tokenUrl: 'https://git.example/t', emailsUrl: 'https://git.example/e', scopes: ['u'],
    },
    google: { issuer: 'http://localhost:9', trustEmail: true, tokenInfoUrl: 'http://[::1]:9/i' },
  }).providers].sort((a, b) => a.name.localeCompare(b.name));
  t.match(github, { authorizationUrl: 'https://git.example/a', tokenUrl: 'https://git.example/t', emailsUrl: 'https://git.example/e',
    profileUrl: 'https://api.github.com/user', scopes: ['u'] });
  t.match(google, {
    issuer: 'http://localhost:9', trustEmail: true, tokenInfoUrl: 'http://[::1]:9/i', scopes: ['openid', 'email', 'profile'],
  });
  t.end();
});

test('addresses of Microsoft count where the tenant is one', t => {
  const env = { MICROSOFT_CLIENT_ID: 'app', MICROSOFT_CLIENT_SECRET: 'secret' };
  const read = (tenantId?: string) => configWith(t, env, tenantId === undefined ? {} : { microsoft: { tenantId } }).providers;
  t.match(read(), [{ issuer: 'https://login.microsoftonline.com/common/v2.0', trustEmail: false }]);
  t.match(read('organizations'), [{ trustEmail: false }]);
  t.match(read('acme.example'), [{ issuer: 'https://login.microsoftonline.com/acme.example/v2.0', trustEmail: true }]);
  t.end();
});

test('settings of providers that would do nothing, or would send secrets in the clear, stop the start', t => {
  t.same(problemsWith(t, {}, { github: {} }), ['auth.providers.github of the settings file: GITHUB_CLIENT_ID is not set.']);
  t.same(problemsWith(t, GITHUB, { gihub: {} }),
    ['auth.providers.gihub of the settings file: there is no such provider. Did you mean github?']);
  t.same(problemsWith(t, {}, { constructor: {} }), ['auth.providers.constructor of the settings file: there is no such provider.']);
  t.same(problemsWith(t, GITHUB, { github: { tenantId: 'x' } }),
    ['auth.providers.github.tenantId of the settings file does nothing for github.']);
  for (const tokenUrl of ['http://git.example/t', 'http://127.0.0.1.example/t', 'http://10.0.0.1/t']) {
    t.same(problemsWith(t, GITHUB, { github: { tokenUrl } }),
      ['auth.providers.github.tokenUrl of the settings file must be an https URL; http is for loopback addresses only.'], tokenUrl);
  }
  t.same(problemsWith(t, { ...ACME, SERVICE_OIDC_ACME_ISSUER: 'http://id.acme.example' }),
    ['SERVICE_OIDC_ACME_ISSUER must be an https URL; http is for loopback addresses only.']);
  t.same(problemsWith(t, { ...ACME, SERVICE_OIDC_ACME_ISSUER: 'ldap://id.acme.example' }),
    ['SERVICE_OIDC_ACME_ISSUER must be an absolute http or https URL.']);
  t.end();
});

test('no path below /auth is left to a provider', t => {
  const sources = globSync('gateway/features/**/*.ts', { cwd: ROOT }).map(path => readFileSync(join(ROOT, path), 'utf8')).join('\n');
  const segments = new Set([...sources.matchAll(/path: '\/auth\/([\w-]+)/g)].map(([, segment = '']) => segment));
  t.ok(segments.size > 15);
  t.same([...segments].filter(segment => !RESERVED.has(segment)), []);
  t.end();
});
