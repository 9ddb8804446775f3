import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { test, type Test } from 'tap';
import { openServiceMail } from '../../gateway/start/mail.ts';
import { readConfig, type Environment } from '../../gateway/features/config.ts';
import { createMailbox } from '../../gateway/mail/mailbox.ts';
import type { Mail } from '../../gateway/mail/mail.ts';
import { addressOf, startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { startSmtp } from './smtp.ts';

const JANE = { email: 'jane@example.org' };
const log = pino({ level: 'silent' });

/** Mail as a service with this environment has it. */
function mailOf(t: Test, env: Environment, mailbox = createMailbox()): Mail {
  const mail = openServiceMail({ config: readConfig(env), mailbox, ownAddress: () => 'http://localhost:3005', log });
  t.teardown(() => mail.close(5_000));
  return mail;
}

async function linkOf(t: Test, env: Environment): Promise<string | undefined> {
  const mailbox = createMailbox();
  await mailOf(t, env, mailbox).send('magicLink', JANE, { token: 'tok' });
  return (await mailbox.list())[0]?.links[0];
}

test('the settings of a server are those that mail goes out with', async t => {
  const { port, received } = await startSmtp(t, {
    allowInsecureAuth: true, onAuth: ({ username, password }, _session, done) => done(null, password === 'right' ? { user: username } : {}),
  });
  const env = {
    SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port), SMTP_USER: 'shop@example.com', SMTP_PASS: 'right', APP_NAME: 'The Shop',
    FRONTEND_URL: 'https://shop.example.com/',
  };
  await mailOf(t, env).send('magicLink', JANE, { token: 'tok' });
  await mailOf(t, { ...env, SMTP_FROM: 'Somebody <other@example.com>', SMTP_NAME: 'mail.example.com' }).send('welcomeEmail', JANE, {});
  t.match(received, [
    {
      from: 'shop@example.com', user: 'shop@example.com', greeting: 'shop.example.com',
      raw: /^From: The Shop <shop@example\.com>\r$[^]*^Subject: Your sign-in link for The Shop\r$/m,
    },
    { from: 'other@example.com', greeting: 'mail.example.com', raw: /^From: Somebody <other@example\.com>\r$/m },
  ]);
});

test('links lead to the frontend; without one, outside production, to the service itself', async t => {
  t.equal(await linkOf(t, {}), 'http://localhost:3005/auth/magic-link?token=tok');
  t.equal(await linkOf(t, { FRONTEND_URL: 'https://a.example.com/shop/' }), 'https://a.example.com/shop/auth/magic-link?token=tok');
});

test('the settings file gives mails addresses and words of their own', async t => {
  const file = join(t.testdir({}), 'rowgate.json');
  writeFileSync(file, JSON.stringify({
    auth: { email: { resetPasswordUrl: 'https://r.example.com', magicLinkUrl: 'https://m.example.com/in' } },
    email: { appName: 'The Shop', templates: { magicLink: { subject: 'Come in, {{name}}', text: '{{link}}' } } },
  }));
  const env = { SERVICE_CONFIG_FILE: file, FRONTEND_URL: 'https://a.example.com' };
  t.equal(await linkOf(t, env), 'https://m.example.com/in/auth/magic-link?token=tok');
  const mailbox = createMailbox();
  const mail = mailOf(t, env, mailbox);
  await mail.send('magicLink', JANE, { token: 'tok' });
  await mail.send('emailVerification', JANE, { token: 'tok' });
  t.match(await mailbox.list(), [
    { subject: 'Confirm your email address for The Shop', links: ['https://r.example.com/verify-email?token=tok'] },
    { subject: 'Come in, jane', text: 'https://m.example.com/in/auth/magic-link?token=tok' },
  ]);
});

test('a server that cannot be reached is a warning, and the service starts', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const gateway = startGateway(t, { DATABASE_URL: url, SMTP_HOST: '127.0.0.1', SMTP_PORT: '9', SMTP_FROM: 'a@example.org' });
  await addressOf(gateway);
  await until('it says so',
    () => Promise.resolve(
      /Mail cannot be sent through 127\.0\.0\.1:9 \(SMTP_HOST\) at the moment: (?:ECONNREFUSED|ESOCKET)\./.test(gateway.output()),
    ));
  t.equal(gateway.process.exitCode, null);
});
