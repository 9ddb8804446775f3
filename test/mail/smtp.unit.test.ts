import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { test } from 'tap';
import { CERTIFICATE, KEY } from './certificate.ts';
import { mailThrough, startSmtp } from './smtp.ts';

const JANE = { email: 'jane@example.org', displayName: 'Jane' };
const TLS = { disabledCommands: [], key: KEY, cert: CERTIFICATE };

test('a mail arrives as HTML and as text, from the configured sender', async t => {
  const { port, received } = await startSmtp(t);
  const mail = mailThrough(t, { port });
  const sent = await mail.send('passwordReset', JANE, { token: 'abc123' });
  t.match(sent, { accepted: ['jane@example.org'], rejected: [], messageId: /^[^<>]+@example\.com$/ });
  t.match(received, [{ from: 'shop@example.com', to: ['jane@example.org'], secure: false, greeting: 'app.example.com' }]);
  const raw = received[0]?.raw ?? '';
  for (const line of [
    'From: The Shop <shop@example.com>', 'To: jane@example.org', 'Subject: Choose a new password for The Shop',
    'Auto-Submitted: auto-generated',
  ]) {
    t.ok(raw.includes(`${line}\r\n`), line);
  }
  t.ok(raw.includes(`Message-ID: <${sent.messageId ?? ''}>`));
  const decoded = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  t.match(decoded,
    /Content-Type: text\/plain[^]*Hello Jane,[^]*https:\/\/app\.example\.com\/reset-password\?token=abc123[^]*Content-Type: text\/html/);
});

test('a mail to several is one mail', async t => {
  const { port, received } = await startSmtp(t);
  const mail = mailThrough(t, { port });
  const sent = await mail.sendMessage({
    to: ['a@example.org', 'b@example.org'], subject: 'Sale', html: '<p>Now</p>', replyTo: 'c@example.org',
    headers: { 'X-Campaign': 'spring' },
  });
  t.match(sent, { accepted: ['a@example.org', 'b@example.org'] });
  t.match(received, [{ to: ['a@example.org', 'b@example.org'], raw: /^X-Campaign: spring\r$[^]*^Reply-To: c@example.org\r$/m }]);
});

test('a password goes out encrypted, to a server whose certificate is good', async t => {
  const before = getCACertificates('default');
  t.teardown(() => setDefaultCACertificates(before));
  const { port, received } = await startSmtp(t,
    { ...TLS, onAuth: ({ username, password }, _session, done) => done(null, password === 'right' ? { user: username } : {}) });
  const auth = { user: 'shop', pass: 'right' };
  await t.rejects(mailThrough(t, { port, auth }).send('welcomeEmail', JANE, {}),
    { name: 'MailError', message: /could not be sent: E(TLS|SOCKET|STARTTLS)/ }, 'a certificate that nobody vouches for');
  setDefaultCACertificates([...before, CERTIFICATE]);
  await mailThrough(t, { port, auth }).send('welcomeEmail', JANE, {});
  t.match(received, [{ secure: true, user: 'shop' }]);
  t.equal(received.length, 1);
});

test('SMTP_SECURE speaks TLS from the first byte', async t => {
  const before = getCACertificates('default');
  t.teardown(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, CERTIFICATE]);
  const { port, received } = await startSmtp(t, { ...TLS, secure: true });
  await mailThrough(t, { port, secure: true }).send('welcomeEmail', JANE, {});
  t.match(received, [{ secure: true }]);
});

test('a password does not leave the machine in the clear', async t => {
  let tries = 0;
  const { port, received } = await startSmtp(t,
    { allowInsecureAuth: true, onAuth: ({ username }, _session, done) => { tries++; done(null, { user: username }); } });
  const auth = { user: 'shop', pass: 'right' };
  await t.rejects(mailThrough(t, { port, auth, host: '0.0.0.0' }).send('welcomeEmail', JANE, {}), { name: 'MailError' },
    'an address that is not known as this machine\'s');
  t.same([tries, received.length], [0, 0]);
  await mailThrough(t, { port, auth }).send('welcomeEmail', JANE, {});
  t.same([tries, received.length], [1, 1], 'on the machine itself it may');
});

test('a wrong password, a missing server and a nonsensical one are failures without names', async t => {
  const wrong = await startSmtp(t,
    { allowInsecureAuth: true, onAuth: (_auth, _session, done) => done(new Error('No such user: shop, hunter2')) });
  const auth = { user: 'shop', pass: 'hunter2' };
  const failed = mailThrough(t, { port: wrong.port, auth });
  for (const attempt of [failed.send('welcomeEmail', JANE, {}), failed.verify()]) {
    const error = await attempt.then(() => undefined, (error: unknown) => error as Error);
    t.match(error?.message, /EAUTH, the server answered 535/);
    t.notMatch(error?.message, /hunter2|jane/);
  }
  t.match(wrong.received, []);

  const closed = createServer();
  await once(closed.listen(0, '127.0.0.1'), 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  await t.rejects(mailThrough(t, { port }).send('welcomeEmail', JANE, {}), { name: 'MailError', message: /could not be sent: E\w+\.$/ });
  await t.rejects(mailThrough(t, { port }).verify(), { name: 'MailError' });

  const other = createServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => other.close());
  await t.rejects(mailThrough(t, { port: (other.address() as AddressInfo).port }).send('welcomeEmail', JANE, {}), { name: 'MailError' });
});

test('recipients that the server refuses are named; a mail without any other is a failure', async t => {
  const { port, received } = await startSmtp(t, {
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('nobody') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null),
  });
  const mail = mailThrough(t, { port });
  t.match(await mail.sendMessage({ to: ['a@example.org', 'nobody@example.org'], subject: 'x', html: 'x' }),
    { accepted: ['a@example.org'], rejected: ['nobody@example.org'] });
  await t.rejects(mail.sendMessage({ to: 'nobody@example.org', subject: 'x', html: 'x' }),
    { name: 'MailError', message: 'The mail could not be sent: EENVELOPE, the server answered 550.' });
  t.equal(received.length, 1);
});

test('nothing in a message becomes another header or another recipient', async t => {
  const { port, received } = await startSmtp(t);
  const mail = mailThrough(t, { port });
  const good = { to: 'a@example.org', subject: 'x', html: 'x' };
  const bad: Record<string, object> = {
    'two in one': { to: 'a@example.org, b@example.org' },
    'a group': { to: 'all: a@example.org;' },
    'a name with an address': { to: '"x" <b@example.org>' },
    'a line break in an address': { to: 'a@example.org\r\nBcc: b@example.org' },
    'nobody': { to: [] },
    'one bad of two': { to: ['a@example.org', 'b'] },
    'a reply address': { replyTo: 'a@example.org\nBcc: b@example.org' },
    'a line break in the subject': { subject: 'x\r\nBcc: b@example.org' },
    'a bare line feed in the subject': { subject: 'x\nBcc: b@example.org' },
    'a line break in a value': { headers: { 'X-A': 'x\r\nBcc: b@example.org' } },
    'a line break in a name': { headers: { 'X-A: x\r\nBcc': 'b@example.org' } },
    'a colon in a name': { headers: { 'X:A': 'x' } },
    'a name beyond ASCII': { headers: { 'X-Ä': 'x' } },
    'no name': { headers: { '': 'x' } },
    'one more recipient': { headers: { bcc: 'b@example.org' } },
    'another sender': { headers: { From: 'b@example.org' } },
    'another body': { headers: { 'Content-Type': 'text/plain' } },
  };
  for (const [what, part] of Object.entries(bad)) await t.rejects(mail.sendMessage({ ...good, ...part }), { name: 'MailError' }, what);
  t.same(received, []);
  // Values that people choose themselves.
  await mail.send('emailVerification', { email: 'jane@example.org', displayName: 'Jane\r\nBcc: b@example.org' }, { token: 't' });
  t.match(received, [{ to: ['jane@example.org'] }]);
  t.notMatch(received[0]?.raw.split('\r\n\r\n')[0], /^bcc:/im);
});

test('to those who have no address nothing is sent', async t => {
  const { port, received } = await startSmtp(t);
  const mail = mailThrough(t, { port });
  for (const email of ['anon_00ff@anonymous.local', '77@twitter.placeholder.service', 'x@placeholder.service', 'not an address']) {
    t.same(await mail.send('welcomeEmail', { email }, {}), { accepted: [], rejected: [] }, email);
  }
  t.same(received, []);
  await mail.send('welcomeEmail', { email: 'placeholder@my-placeholder.org' }, {});
  t.equal(received.length, 1);
});

test('mail beside an answer is sent before the service ends, and its failure is logged without the recipient', async t => {
  const { port, received } = await startSmtp(t);
  const mail = mailThrough(t, { port });
  for (let n = 0; n < 5; n++) mail.sendLater('welcomeEmail', JANE, {}, 'a-request');
  await mail.close(60_000);
  t.equal(received.length, 5);

  const lines: string[] = [];
  const log = pino(new Writable({ write(line, _encoding, done) { lines.push(String(line)); done(); } }));
  const refusing = await startSmtp(t, { onRcptTo: ({ address }, _session, done) => done(new Error(`nobody knows ${address}`)) });
  const failing = mailThrough(t, { port: refusing.port }, { log });
  failing.sendLater('magicLink', JANE, { token: 'secret-token' }, 'a-request');
  await failing.close(60_000);
  await new Promise(setImmediate);
  t.match(lines, [/"requestId":"a-request","mail":"magicLink".*could not be sent: EENVELOPE, the server answered 550/]);
  t.notMatch(lines.join(''), /jane@|secret-token/);
});

test('a server that does not answer does not hold up the end', async t => {
  const silent = createServer(() => undefined);
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const mail = mailThrough(t, { port: (silent.address() as AddressInfo).port });
  const connected = once(silent, 'connection') as Promise<[Socket]>;
  mail.sendLater('welcomeEmail', JANE, {}, 'a-request');
  const [socket] = await connected;
  await mail.close(10);
  t.equal(socket.destroyed, false, 'it was still being waited for');
  socket.destroy();
  silent.close();
});

test('without a server and a mailbox nothing is configured', async t => {
  const mail = mailThrough(t, undefined);
  t.equal(mail.configured, false);
  await t.rejects(mail.send('welcomeEmail', JANE, {}), { name: 'MailError', message: 'No mail is configured (SMTP_HOST).' });
  await mail.verify();
});
