import { pino } from 'pino';
import { test } from 'tap';
import { createMailbox, linksIn, mailboxTransport } from '../../gateway/mail/mailbox.ts';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, tokenFor } from '../harness/service.ts';
import { mailThrough } from './smtp.ts';

const SILENT = pino({ level: 'silent' });
const PATH = '/admin/dev/emails';

test('the mailbox keeps the newest fifty', async t => {
  const mailbox = createMailbox();
  const { deliver } = mailboxTransport(mailbox, SILENT);
  for (let n = 1; n <= 60; n++) await deliver({ to: 'a@example.org', subject: String(n), html: '' });
  const mails = await mailbox.list();
  t.same(mails.map(({ id }) => id), Array.from({ length: 50 }, (_, i) => 60 - i));
  t.same(mails.map(({ subject }) => Number(subject)), mails.map(({ id }) => id));
  await mailbox.clear();
  t.same(await mailbox.list(), []);
  await deliver({ to: 'a@example.org', subject: 'again', html: '' });
  t.match(await mailbox.list(), [{ id: 61 }], 'an id is never given twice');
});

test('links are those of the HTML, then those of the text, each once', t => {
  t.same(linksIn({
    html: '<a href="https://a.example/?x=1&amp;y=2">a</a> <a class="x" href=\'https://b.example\'>b</a> <a '
      + 'href="mailto:c@example.org">c</a> <a href="https://a.example/?x=1&amp;y=2">',
    text: 'See https://c.example/x. And (https://b.example), https://a.example/?x=1&y=2',
  }), ['https://a.example/?x=1&y=2', 'https://b.example', 'https://c.example/x']);
  t.end();
});

test('admins read and empty the mailbox', async t => {
  const { request, mailbox } = await createService(t, { template: 'served' });
  t.same((await request(PATH)).body, { enabled: true, messages: [] });
  const mail = mailThrough(t, undefined, { mailbox });
  await mail.send('magicLink', { email: 'jane@example.org' }, { token: 'abc' });
  await mail.sendMessage({ to: ['a@example.org', 'b@example.org'], subject: 'Bare', html: '<p>x</p>' });
  const { status, headers, body } = await request(PATH);
  t.equal(status, 200);
  t.equal(headers.get('cache-control'), 'no-store');
  t.match(body, { enabled: true, messages: [
    { id: 2, to: 'a@example.org, b@example.org', subject: 'Bare', html: '<p>x</p>', links: [] },
    {
      id: 1, to: 'jane@example.org', subject: 'Your sign-in link for The Shop', html: /<a href=/, text: /Hello jane,/,
      links: ['https://app.example.com/auth/magic-link?token=abc'],
    },
  ] });
  for (const { messageId, at } of body.messages) {
    t.match(messageId, /^[^<>]+@[^<>]+$/);
    t.equal(new Date(at as string).toISOString(), at);
  }
  t.same(Object.keys(body.messages[0]), ['id', 'messageId', 'at', 'to', 'subject', 'html', 'links']);
  t.match(await request(PATH, { method: 'DELETE' }), { status: 200, body: { cleared: true } });
  t.same((await request(PATH)).body, { enabled: true, messages: [] });
});

test('the gate comes first, then whether there is a mailbox', async t => {
  const { request } = await createService(t,
    { template: 'served', env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: '9', SMTP_FROM: 'a@example.org' } });
  for (const method of ['GET', 'DELETE']) {
    t.match(await request(PATH, { method, as: null }), { status: 401 });
    t.match(await request(PATH, { method, as: await tokenFor('7') }), { status: 403, body: { error: { code: 'FORBIDDEN' } } });
    t.match(await request(PATH, { method }), { status: 501, body: { error: { code: 'DEV_MAILBOX_UNAVAILABLE', message: /SMTP_HOST/ } } });
  }
});

test('production has no mailbox', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { request, close } = await openService(url, { NODE_ENV: 'production', DATABASE_URL: url, CORS_ORIGINS: 'https://app.example.com' });
  t.teardown(close);
  t.match(await request(PATH), { status: 501, body: { error: { code: 'DEV_MAILBOX_UNAVAILABLE' } } });
});

test('without accounts there are no admin routes', async t => {
  const { request } = await createService(t, { template: 'served', env: { SERVICE_AUTH: 'off' } });
  t.match(await request(PATH), { status: 501, body: { error: { code: 'ADMIN_SURFACE_UNAVAILABLE' } } });
});
