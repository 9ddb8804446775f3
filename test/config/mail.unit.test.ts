import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { readConfig, type Environment } from '../../gateway/features/config.ts';

const PRODUCTION = {
  NODE_ENV: 'production', DATABASE_URL: 'postgres://db/app', JWT_SECRET: 'rZ0v8Qm2Lk5Tn7Xw1Yp3Bd6Fg9Hj4SaCe',
  SERVICE_SERVICE_KEY: 'kZ0v8Qm2Lk5Tn7Xw1Yp3Bd6Fg9Hj4SaCe', CORS_ORIGINS: 'https://app.example.com',
};

function problemsOf(env: Environment): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    return (error as Error).message.split('\n');
  }
}

test('a service that sends mail says whom it is from and where its links lead, or does not start', t => {
  const smtp = { SMTP_HOST: 'smtp.example.com', SMTP_FROM: 'shop@example.com' };
  t.same(problemsOf({ ...PRODUCTION, ...smtp }),
    ['FRONTEND_URL (or auth.email.resetPasswordUrl of the settings file) is required where mail is sent.']);
  t.same(problemsOf({ ...PRODUCTION, ...smtp, FRONTEND_URL: 'https://app.example.com' }), []);
  t.same(problemsOf(PRODUCTION), [], 'without mail nothing is asked');
  t.same(problemsOf({ ...PRODUCTION, AUTH_REQUIRE_EMAIL_VERIFICATION: 'true' }),
    ['AUTH_REQUIRE_EMAIL_VERIFICATION needs mail to be sent: set SMTP_HOST.']);
  t.same(problemsOf({ AUTH_REQUIRE_EMAIL_VERIFICATION: 'true' }), [], 'in development there is a mailbox');
  t.same(problemsOf(smtp), [], 'in development it links to itself');
  t.same(problemsOf({ SMTP_HOST: 'smtp.example.com' }), ['SMTP_FROM is required where mail is sent (SMTP_HOST).']);
  t.same(problemsOf({ SMTP_HOST: 'smtp.example.com', SMTP_USER: 'shop@example.com', SMTP_PASS: 'x' }), []);
  t.same(problemsOf({ ...smtp, SMTP_USER: 'shop' }), ['SMTP_USER and SMTP_PASS are set together or not at all.']);
  t.same(problemsOf({ ...smtp, SMTP_PASS: 'x' }), ['SMTP_USER and SMTP_PASS are set together or not at all.']);
  t.end();
});

test('mail settings are validated at boot', t => {
  const bad: Record<string, string[]> = {
    FRONTEND_URL: ['app', '/app', 'ftp://a', 'javascript:alert(1)', 'https://user@a', 'https://a?x=1', 'https://a/#x'],
    EMAIL_LOGO_URL: ['logo.png', 'ftp://a/logo.png', 'https://a/logo.svg', 'https://a/logo.webp', 'data:image/png;base64,AA'],
    SMTP_FROM: ['shop', 'a@b, c@d', 'Shop <a@b', 'Shop <a@b> x', 'a@b\r\nBcc: c@d', 'Shop\n<a@b>', '<>'],
    SMTP_HOST: ['smtp://host', 'host:25', 'a b'],
    SMTP_PORT: ['0', '65536', 'smtp'],
    SMTP_SECURE: ['yes', '1'],
    APP_NAME: ['a\nb'],
  };
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) t.match(problemsOf({ [name]: value }), [new RegExp(`^${name} must be `)], `${name}=${value}`);
  }
  t.equal(readConfig({ FRONTEND_URL: 'https://a.example.com/shop//' }).frontendUrl, 'https://a.example.com/shop');
  t.match(readConfig({ SMTP_FROM: 'The Shop <shop@example.com>' }).smtpFrom, { name: 'The Shop', address: 'shop@example.com' });
  t.same(readConfig({ SMTP_FROM: 'shop@example.com' }).smtpFrom, { name: undefined, address: 'shop@example.com' });
  for (const logo of ['https://a/logo.png', 'https://a/logo.JPEG?v=2', 'https://a/logos/7']) {
    t.equal(readConfig({ EMAIL_LOGO_URL: logo }).emailLogoUrl, logo);
  }
  t.match(readConfig({}), { smtpPort: 587, smtpSecure: undefined, appName: 'Rowgate' });
  t.end();
});

test('the password of the SMTP server may come from a file', t => {
  const file = join(t.testdir({}), 'password');
  writeFileSync(file, 'hunter2\n');
  t.equal(readConfig({ SMTP_PASS_FILE: file }).smtpPass, readFileSync(file, 'utf8').trim());
  t.end();
});
