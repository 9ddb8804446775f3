// Accounts are found by the normal form of an address, and mail goes to the stored address: no spelling of a request makes it go elsewhere.
import { test } from 'tap';
import { serveAccounts, OPEN, PASSWORD, refusal, sessionOf } from '../accounts/people.ts';
import { fromAfar, openPostOffice } from '../accounts/post-office.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { collections } from '../write/client.ts';

const VICTIM = 'kim.smith@kiwimail.example';
/** Each reads as the victim's address after some lower() or trim(), and is another address, or none. */
const SPELLINGS: Record<string, string> = {
  'a Kelvin sign': 'kim.smith@\u212aiwimail.example',
  'a capital I with a dot': 'kim.smith@kiwima\u0130l.example',
  'a Kelvin sign in the local part': '\u212aim.smith@kiwimail.example',
  'a long s': 'kim.\u017fmith@kiwimail.example',
  'a fullwidth letter': 'kim.smith@\uff4biwimail.example',
  'a fullwidth at sign': 'kim.smith\uff20kiwimail.example',
  'an ideographic full stop': 'kim.smith@kiwimail\u3002example',
  'a trailing dot': `${VICTIM}.`,
  'a tab before it': `\t${VICTIM}`,
  'a line break after it': `${VICTIM}\r\n`,
  'a no-break space after it': `${VICTIM}\u00a0`,
  'a byte order mark before it': `\ufeff${VICTIM}`,
  'a zero-width space': 'kim.smith@kiwi\u200bmail.example',
  'a soft hyphen': 'kim.smith@kiwi\u00admail.example',
  'a second address': `${VICTIM},eve@example.org`,
  'a name': `Kim <${VICTIM}>`,
};

test('another spelling of an address is refused at every door, and nothing is mailed', async t => {
  const office = await openPostOffice(t);
  const users = collections(t, { slug: 'users', auth: true });
  const { post, register, request, sql } = await serveAccounts(t, {
    ...OPEN, ...office.env, ALLOW_ANONYMOUS: 'true', SERVICE_RATE_LIMIT_STORE: 'sql', AUTH_ALLOW_USER_LOOKUP: 'true',
    SERVICE_COLLECTIONS_DIR: users,
  });
  const ask = (path: string, body: object, as: string | null = null) => post(path, body, as, fromAfar());
  await register(VICTIM);
  await office.linked(VICTIM, /Confirm/);
  const eve = await register('eve@example.org');
  await office.linked('eve@example.org', /Confirm/);
  const guest = sessionOf(await ask('/auth/anonymous', {})).access;
  const admin = (method: string, path: string, body: object) =>
    request(path, { method, as: SERVICE_KEY, headers: fromAfar(), body: JSON.stringify(body) });
  const doors: Record<string, (email: string) => ReturnType<typeof ask>> = {
    'register': email => ask('/auth/register', { email, password: PASSWORD }),
    'login': email => ask('/auth/login', { email, password: PASSWORD }),
    'forgot-password': email => ask('/auth/forgot-password', { email }),
    'magic-link': email => ask('/auth/magic-link', { email }),
    'otp': email => ask('/auth/otp', { email }),
    'otp/verify': email => ask('/auth/otp/verify', { email, code: '123456' }),
    'find-user': email => ask('/auth/find-user', { email }, eve.access),
    'change-email': email => ask('/auth/change-email', { newEmail: email }, eve.access),
    'anonymous/link': email => ask('/auth/anonymous/link', { email, password: PASSWORD }, guest),
    'POST /admin/users': email => admin('POST', '/admin/users', { email }),
    'PUT /admin/users/:uid': email => admin('PUT', `/admin/users/${eve.uid}`, { email }),
    'POST /data/users': email => admin('POST', '/data/users', { email }),
    'PATCH /data/users/:id': email => admin('PATCH', `/data/users/${eve.uid}`, { email }),
  };
  const stored = () => sql<{ email: string }[]>`select email from service.users where not is_anonymous
    order by email`.then(rows => rows.map(({ email }) => email));
  const before = [await stored(), office.letters().length];
  for (const [door, open] of Object.entries(doors)) {
    for (const [name, spelling] of Object.entries(SPELLINGS)) {
      await sql`delete from service.rate_limits`;
      const answer = await open(spelling);
      const isTrimmed = door.includes('/data/') && /tab|line break/.test(name); // by a rule of the property, before it is judged
      t.match(refusal(answer), isTrimmed ? [409, 'EMAIL_EXISTS'] : [400, /^(INVALID_INPUT|VALIDATION_CONSTRAINT)$/], `${door}: ${name}`);
    }
  }
  t.same([await stored(), office.letters().length], before);
});

test('mail goes to the stored address, however a request spells it', async t => {
  const office = await openPostOffice(t);
  const { post, request } = await serveAccounts(t, {
    ...OPEN, ...office.env, ALLOW_ANONYMOUS: 'true', AUTH_REQUIRE_EMAIL_VERIFICATION: 'true',
    SERVICE_ADMIN_EMAIL: 'ROOT@b\u00fccher.example', SERVICE_ADMIN_PASSWORD: PASSWORD,
  });
  const ask = (path: string, body: object) => post(path, body, null, fromAfar());
  const [typed, stored] = ['ADA@b\u00fccher.example', 'ada@xn--bcher-kva.example'];
  t.match((await ask('/auth/login', { email: 'root@xn--bcher-kva.example', password: PASSWORD })).body.user,
    { email: 'root@xn--bcher-kva.example', roles: ['admin'] });
  await ask('/auth/register', { email: typed, password: PASSWORD });
  await office.linked(stored, /Confirm/);
  t.same(refusal(await ask('/auth/login', { email: typed, password: PASSWORD })), [403, 'EMAIL_NOT_CONFIRMED']);
  await ask('/auth/forgot-password', { email: typed });
  const reset = await office.linked(stored, /new password/);
  await ask('/auth/magic-link', { email: ` ${typed}` });
  await office.linked(stored, /sign-in link/);
  await ask('/auth/otp', { email: stored.toUpperCase() });
  const digits = await office.code(stored);
  t.match((await ask('/auth/otp/verify', { email: typed, code: digits })).body.user, { email: stored });
  t.same(refusal(await ask('/auth/reset-password', { token: reset, password: PASSWORD })), [400, 'INVALID_TOKEN'],
    'the first proof ends every session');
  const made = await request('/admin/users', { method: 'POST', body: JSON.stringify({ email: 'BOB@b\u00fccher.example' }) });
  t.match(made.body, { user: { email: 'bob@xn--bcher-kva.example' }, invitationSent: true });
  await office.linked('bob@xn--bcher-kva.example', /invited/);
  t.same([...new Set(office.letters().map(({ to }) => to))].sort(), [stored, 'bob@xn--bcher-kva.example']);
});

test('an address is limited by its normal form', async t => {
  const { post } = await serveAccounts(t, { ...OPEN, TRUSTED_PROXY_HOPS: '1' });
  const spellings = [
    'ada@b\u00fccher.example', 'ADA@b\u00fccher.example', ' ada@xn--bcher-kva.example', 'ada@XN--BCHER-KVA.example',
    'Ada@b\u00fcCHER.example', 'ada@xn--bcher-kva.example ',
  ];
  for (const path of ['/auth/forgot-password', '/auth/otp']) {
    const statuses: number[] = [];
    for (const email of spellings) statuses.push((await post(path, { email }, null, fromAfar())).status);
    t.same(statuses, [200, 200, 200, 200, 200, 429], path);
  }
});
