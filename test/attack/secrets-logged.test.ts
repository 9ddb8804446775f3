// The gateway's log at its lowest level holds no secret that a request brings or an answer gives, whether it is taken or refused.
import { pino } from 'pino';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { openService, SERVICE_KEY } from '../harness/service.ts';

const PASSWORD = 'Correct-horse-s3cret';
const OTHER = 'Battery-staple-s3cret1';
const HARDENED = {
  NODE_ENV: 'production', CORS_ORIGINS: 'https://app.example.com', SERVICE_HOST: '127.0.0.1', ALLOW_REGISTRATION: 'true',
  ALLOW_ANONYMOUS: 'true',
  MFA_ENCRYPTION_KEY: 'a key for tests that is long enough 0123456789',
};

test('no password, token, key or secret of a second factor is in the log', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => { lines.push(line); } });
  const service = await openService(url, { DATABASE_URL: url, SERVICE_SOURCE: 'tables', ...HARDENED }, url, log);
  t.teardown(service.close);
  const secrets = new Set([PASSWORD, OTHER, SERVICE_KEY]);
  const post = async (path: string, body: object, as: string | null = null) => {
    const answer = await service.request(path, { method: 'POST', as, body: JSON.stringify(body) });
    const { tokens, key, secret, recoveryCodes = [] } = answer.body ?? {};
    for (const value of [tokens?.accessToken, tokens?.refreshToken, key?.key, secret, ...recoveryCodes]) {
      if (typeof value === 'string') secrets.add(value);
    }
    return answer;
  };
  const { body: { tokens } } = await post('/auth/register', { email: 'ada@example.org', password: PASSWORD });
  const before = secrets.size;
  for (const password of [PASSWORD, OTHER, `${PASSWORD}\0`, `\ud800${PASSWORD}`]) {
    await post('/auth/login', { email: 'ada@example.org', password });
  }
  await post('/auth/refresh', { refreshToken: tokens.refreshToken });
  await post('/auth/refresh', { refreshToken: `${tokens.refreshToken}x` });
  await post('/auth/change-password', { oldPassword: OTHER, newPassword: PASSWORD }, tokens.accessToken);
  await post('/auth/mfa/enroll', { friendlyName: 'phone' }, tokens.accessToken);
  await post('/auth/anonymous', {});
  const { body: { key: { key } } } = await post('/admin/api-keys', { name: 'k', scopes: ['data:read'] }, SERVICE_KEY);
  await post('/admin/users', { email: 'eve@example.org', password: OTHER }, SERVICE_KEY);
  for (const as of [key, `${key}x`, tokens.accessToken, `${tokens.accessToken}x`, `${SERVICE_KEY}x`]) {
    await service.request('/data/nothing', { as });
    await service.request(`/data/nothing?token=${as}`, { as });
    await service.request('/auth/me', { as, headers: { cookie: `__service_refresh=${tokens.refreshToken}` } });
  }
  // Where the database fails, PostgreSQL's own words are logged.
  await sql`alter table service.sessions rename to elsewhere`;
  t.ok((await post('/auth/login', { email: 'ada@example.org', password: PASSWORD })).status >= 500);
  t.ok(secrets.size > before + 3, `${secrets.size} secrets`);
  t.ok(lines.length > 20, `${lines.length} lines`);
  for (const secret of secrets) t.same(lines.filter(line => line.includes(secret)), [], `${secret.slice(0, 12)}…`);
});
