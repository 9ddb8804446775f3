import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { decodeProtectedHeader } from 'jose';
import { test, type Test } from 'tap';
import { readConfig, type Config, type Environment } from '../../gateway/features/config.ts';
import { publishedSettingsSchema } from '../../gateway/features/settings-file.ts';
import { OPEN, serveAt } from '../accounts/people.ts';
import { runGateway, emptyFolder } from '../boot/gateway.ts';
import { blocksOf } from '../docs/markdown.ts';
import { createDatabase } from '../harness/database.ts';
import { createService } from '../harness/service.ts';
import { ROOT } from '../harness/server.ts';

const newPem = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const [PEM, OTHER_PEM] = [newPem(), newPem()];

function fileWith(t: Test, content: unknown): string {
  const file = join(t.testdir({}), 'rowgate.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function configWith(t: Test, content: unknown, env: Environment = {}): Config {
  return readConfig({ SERVICE_CONFIG_FILE: fileWith(t, content), ...env });
}

function problemsWith(t: Test, content: unknown, env: Environment = {}): string[] {
  try {
    configWith(t, content, env);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

test('a file that is named and is not there stops boot; none at all is fine', t => {
  t.throws(() => readConfig({ SERVICE_CONFIG_FILE: '/nowhere/rowgate.json' }),
    { message: 'SERVICE_CONFIG_FILE: there is no file /nowhere/rowgate.json.' });
  t.same(readConfig({}).settingsFile, {});
  t.end();
});

test('a file rowgate.json of the folder is read without being named', async t => {
  const folder = emptyFolder(t);
  writeFileSync(join(folder, 'rowgate.json'), '{"emial": {}}');
  t.match(await runGateway(t, { DATABASE_URL: 'postgres://127.0.0.1:9/none' }, folder),
    { code: 1, stderr: 'rowgate.json: emial: unknown key. Did you mean email?\n' });
});

test('it is strict JSON, and says where it is not', t => {
  t.match(problemsWith(t, '{\n  "auth": {},\n  // no\n}'), [/^rowgate\.json:3:3: /]);
  t.match(problemsWith(t, '{"auth": {}, "auth": {}}'), ['rowgate.json:1:14: the key "auth" stands twice']);
  t.match(problemsWith(t, '[]'), ['rowgate.json must hold one JSON object.']);
  t.match(problemsWith(t, ''), [/^rowgate\.json:1:1: /]);
  t.end();
});

test('an unknown key is refused, with its path and a suggestion', t => {
  t.same(problemsWith(t, { auth: { hook: {} }, email: { templates: { magiclink: {}, nothingLikeIt: {} } } }), [
    'rowgate.json: auth.hook: unknown key. Did you mean hooks?',
    'rowgate.json: email.templates.magiclink: unknown key. Did you mean magicLink?',
    'rowgate.json: email.templates.nothingLikeIt: unknown key',
  ]);
  t.match(problemsWith(t, { auth: { hooks: { beforeLogin: 'app.f' } } }),
    ['rowgate.json: auth.hooks.beforeLogin: unknown key. Did you mean before_login?']);
  t.end();
});

test('a value of another form is refused, all of them at once', t => {
  t.same(problemsWith(t, {
    auth: {
      refreshTokenReuseIntervalSeconds: '10', signingKeys: [{ kid: '' }], hooks: { before_login: 'drop table x' },
      scopes: { x: { label: 1 } }, email: { resetPasswordUrl: '/reset' },
    },
    email: { templates: { magicLink: { subject: '' } } },
  }).sort(), [
    'rowgate.json: auth.email.resetPasswordUrl: must be an absolute http or https URL, without a query or fragment',
    'rowgate.json: auth.hooks.before_login: must be the name of a function, such as app.posts_before_save',
    'rowgate.json: auth.refreshTokenReuseIntervalSeconds: must be an integer',
    'rowgate.json: auth.scopes.x.label: must be a string',
    'rowgate.json: auth.signingKeys[0].kid: must not be empty',
    'rowgate.json: auth.signingKeys[0]: lacks privateKey',
    'rowgate.json: email.templates.magicLink.subject: must not be empty',
  ]);
  t.end();
});

test('redirect URIs are a list in the file, and one by commas in the variable', t => {
  const content = { auth: { allowedRedirectUris: ['https://a.example/x', 'com.example.app:/back'] } };
  t.same(configWith(t, content).authAllowedRedirectUris, ['https://a.example/x', 'com.example.app:/back']);
  t.same(configWith(t, content, { AUTH_ALLOWED_REDIRECT_URIS: 'https://b.example, https://c.example' }).authAllowedRedirectUris,
    ['https://b.example', 'https://c.example']);
  t.match(problemsWith(t, { auth: { allowedRedirectUris: ['a.example'] } }), [/^auth\.allowedRedirectUris of the settings file must be/]);
  for (const wrong of ['https://user@a.example', '[x', '["x"]']) {
    t.match(problemsWith(t, {}, { AUTH_ALLOWED_REDIRECT_URIS: wrong }), [/^AUTH_ALLOWED_REDIRECT_URIS must be/], wrong);
  }
  t.end();
});

test('a variable goes before its key', t => {
  const content = {
    auth: { accessExpiresIn: '15m', refreshExpiresIn: '2 weeks' }, email: { appName: 'The Shop', logoUrl: 'https://a/l.png' },
  };
  t.match(configWith(t, content),
    { jwtAccessExpiresIn: 900, jwtRefreshExpiresIn: 1_209_600, appName: 'The Shop', emailLogoUrl: 'https://a/l.png' });
  t.match(configWith(t, content, { JWT_ACCESS_EXPIRES_IN: '1h', APP_NAME: 'Other' }),
    { jwtAccessExpiresIn: 3_600, jwtRefreshExpiresIn: 1_209_600, appName: 'Other' });
  t.same(problemsWith(t, { auth: { accessExpiresIn: '15' } }),
    ['auth.accessExpiresIn of the settings file must be a positive number with a unit, such as 15m, 1h, 30d or 2 weeks.']);
  t.same(problemsWith(t, { auth: { accessExpiresIn: '15' } }, { JWT_ACCESS_EXPIRES_IN: '1h' }), []);
  t.end();
});

test('signing keys: the newest first, the active one among them, JWT_PRIVATE_KEY instead of all', t => {
  const signingKeys = [{ kid: 'new', privateKey: { env: 'NEW_KEY' } }, { kid: 'old', privateKey: PEM }];
  const env = { NEW_KEY: PEM };
  t.match(configWith(t, { auth: { signingKeys } }, env),
    { signingKeys: [{ kid: 'new', privateKeyPem: PEM.trim() }, { kid: 'old', privateKeyPem: PEM }], activeKid: 'new' });
  t.equal(configWith(t, { auth: { signingKeys, activeKid: 'old' } }, env).activeKid, 'old');
  t.match(configWith(t, { auth: { signingKeys, activeKid: 'old' } }, { ...env, JWT_PRIVATE_KEY: 'pem', JWT_KEY_ID: 'env' }),
    { signingKeys: [{ kid: 'env', privateKeyPem: 'pem' }], activeKid: 'env' });
  t.same(problemsWith(t, { auth: { signingKeys, activeKid: 'odl' } }, env),
    ['rowgate.json: auth.activeKid: no key of signingKeys has this name. Did you mean old?']);
  t.same(problemsWith(t, { auth: { activeKid: 'x' } }), ['rowgate.json: auth.activeKid: no key of signingKeys has this name.']);
  t.same(problemsWith(t, { auth: { signingKeys } }), ['rowgate.json: auth.signingKeys[0].privateKey.env: the variable NEW_KEY is not set']);
  t.same(problemsWith(t, { auth: { signingKeys: [...signingKeys, signingKeys[1]] } }, env),
    ['rowgate.json: auth.signingKeys[2].kid: another key has this name']);
  t.end();
});

test('keys of the file are published', async t => {
  const file = fileWith(t, { auth: { signingKeys: [{ kid: 'new', privateKey: PEM }, { kid: 'old', privateKey: { env: 'OLD_KEY' } }] } });
  const { address } = await createService(t, { template: 'served', env: { SERVICE_CONFIG_FILE: file, OLD_KEY: PEM } });
  const { keys } = await (await fetch(`${address}/.well-known/jwks.json`)).json() as { keys: { kid: string; d?: string }[] };
  t.same(keys.map(({ kid, d }) => [kid, d]), [['new', undefined], ['old', undefined]]);
});

test('the active key signs, and every key verifies', async t => {
  const signingKeys = [{ kid: 'new', privateKey: PEM }, { kid: 'old', privateKey: OTHER_PEM }];
  const file = (activeKid?: string) => fileWith(t, { auth: { signingKeys, activeKid } });
  const { url } = await createDatabase(t, { template: 'served' });
  const before = await serveAt(t, url, { ...OPEN, SERVICE_CONFIG_FILE: file('old') });
  const { access: early } = await before.register('first@example.org');
  const after = await serveAt(t, url, { ...OPEN, SERVICE_CONFIG_FILE: file() });
  const { access: late } = await after.login('first@example.org');
  t.same([early, late].map(token => decodeProtectedHeader(token)), [{ alg: 'ES256', kid: 'old' }, { alg: 'ES256', kid: 'new' }]);
  for (const service of [before, after]) for (const as of [early, late]) t.equal((await service.request('/auth/me', { as })).status, 200);
});

test('a placeholder that a mail does not have is refused', t => {
  t.same(problemsWith(t, { email: { templates: { emailOtp: { subject: '{{ appname }}', html: '{{code}} {{link}}' } } } }), [
    'rowgate.json: email.templates.emailOtp.subject: there is no placeholder {{appname}}; known are appName, name, email, logoUrl, code, '
      + 'expires. Did you mean appName?',
    'rowgate.json: email.templates.emailOtp.html: there is no placeholder {{link}}; known are appName, name, email, logoUrl, code, '
      + 'expires.',
  ]);
  t.end();
});

test('the address of the reset page is enough for mail in production', t => {
  const env = {
    NODE_ENV: 'production', DATABASE_URL: 'postgres://db/app', JWT_SECRET: 'rZ0v8Qm2Lk5Tn7Xw1Yp3Bd6Fg9Hj4SaCe',
    SERVICE_SERVICE_KEY: 'kZ0v8Qm2Lk5Tn7Xw1Yp3Bd6Fg9Hj4SaCe', CORS_ORIGINS: 'https://app.example.com', SMTP_HOST: 'smtp.example.com',
    SMTP_FROM: 'a@example.com',
  };
  t.same(problemsWith(t, { auth: { email: { resetPasswordUrl: 'https://app.example.com' } } }, env), []);
  t.match(problemsWith(t, { auth: { email: { verifyEmailUrl: 'https://app.example.com' } } }, env), [/^FRONTEND_URL/]);
  t.end();
});

test('the schema that editors read is the one that judges, and is one itself', t => {
  t.equal(readFileSync(join(ROOT, 'schemas/settings.schema.json'), 'utf8'), publishedSettingsSchema(),
    'node gateway/config/settings-file/publish-schema.ts writes it');
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(publishedSettingsSchema()) as object);
  t.ok(validate({
    auth: { roles: { support: { name: 'Support', scopes: ['users:read'] } } }, email: { templates: { magicLink: { subject: 'x' } } },
  }));
  t.notOk(validate({ email: { templats: {} } }));
  t.end();
});

test('the file that the documentation shows is one', t => {
  const [shown] = blocksOf(readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8')).filter(({ text }) =>
    text.includes('settings.schema.json'));
  const config = configWith(t, shown?.text ?? 'not shown', { OLD_SIGNING_KEY: PEM, SIGNING_KEY: PEM });
  t.match(config, { appName: 'The Shop', settingsFile: { email: { templates: { magicLink: { subject: /\{\{appName\}\}/ } } } } });
  t.end();
});
