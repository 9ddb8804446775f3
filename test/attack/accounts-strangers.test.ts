// A stranger is first at an address, whose owner then proves it: by whatever ways in and in whatever order, the two share no account.
import { test } from 'tap';
import { newDevice, ORIGIN, passkeyActions, type Device } from '../accounts/devices.ts';
import { CLIENT, madeIssuer } from '../accounts/issuer.ts';
import { OPEN, PASSWORD, refusal, serveAccounts, sessionOf, type Accounts, type Session } from '../accounts/people.ts';
import { fromAfar, openPostOffice, type PostOffice } from '../accounts/post-office.ts';
import { some } from '../harness/effort.ts';
import type { Answer } from '../harness/service.ts';

type World = {
  post: Accounts['post']; request: Accounts['request']; office: PostOffice;
  told: (name: 'acme' | 'other', claims: object) => Promise<{ idToken: string }>;
};
/** The address, and what the stranger has. `link`: the token of the verification link that was mailed there. */
type Case = { email: string; link: string; device: Device; session: Session };

const CONFIRM = /Confirm your email/;

/** Makes the account. */
const BEGINNINGS: Record<string, (world: World, email: string) => Promise<Answer>> = {
  'registers': ({ post }, email) => post('/auth/register', { email, password: PASSWORD }),
  'signs in by a provider that does not vouch': async ({ post, told }, email) =>
    post('/auth/acme', await told('acme', { sub: email, email, email_verified: false })),
  'is a guest who gets a password': async ({ post }, email) =>
    post('/auth/anonymous/link', { email, password: PASSWORD }, sessionOf(await post('/auth/anonymous')).access),
  'is a guest who links a provider': async ({ post, told }, email) => {
    const guest = await post('/auth/anonymous');
    const token = await told('acme', { sub: email, email, email_verified: false });
    const linked = await post('/auth/link/acme', token, sessionOf(guest).access);
    return linked.status === 200 ? guest : linked;
  },
};

/** Happens before the owner comes. */
const EVENTS: Record<string, (world: World, of: Case) => Promise<Answer>> = {
  'a scanner opens the link': ({ request }, { link }) => request(`/auth/verify-email?token=${link}`, { as: null }),
  'the stranger links a provider': async ({ post, told }, { email, session }) =>
    post('/auth/link/other', await told('other', { sub: email, email: `eve.${email}` }), session.access),
  'the stranger makes a passkey': ({ post }, { device, session }) => passkeyActions(post).enrol(session.access, device),
};

const PROOFS: Record<string, (world: World, of: Case) => Promise<Answer>> = {
  'a sign-in link': async ({ post, office }, { email }) => {
    await post('/auth/magic-link', { email });
    return post('/auth/magic-link/verify', { token: await office.linked(email, /sign-in link/) });
  },
  'a code': async ({ post, office }, { email }) => {
    await post('/auth/otp', { email });
    return post('/auth/otp/verify', { email, code: await office.code(email) });
  },
  'a reset': async ({ post, office }, { email }) => {
    await post('/auth/forgot-password', { email });
    return post('/auth/reset-password', { token: await office.linked(email, /new password/), password: 'Battery-staple-2' });
  },
  'the verification link': ({ post }, { link }) => post('/auth/verify-email', { token: link, removeUnproven: true }),
};

/** Ways in of the stranger; each answers with an account, or refuses. */
const RETURNS: Record<string, (world: World, of: Case) => Promise<Answer>> = {
  'the password': ({ post }, { email }) => post('/auth/login', { email, password: PASSWORD }),
  'the session': ({ request }, { session }) => request('/auth/me', { as: session.access }),
  'its refresh token': ({ post }, { session }) => post('/auth/refresh', { refreshToken: session.refresh }),
  'the provider': async ({ post, told }, { email }) => post('/auth/acme', await told('acme', { sub: email, email, email_verified: false })),
  'the linked provider': async ({ post, told }, { email }) =>
    post('/auth/other', await told('other', { sub: email, email: `eve.${email}` })),
  'the passkey': ({ post }, { device }) => passkeyActions(post).signIn(device),
};

test('a stranger who was first never shares the account after the owner\'s proof', async t => {
  const office = await openPostOffice(t);
  const issuers = { acme: await madeIssuer(t), other: await madeIssuer(t) };
  const people = await serveAccounts(t, {
    ...OPEN, ...office.env, ALLOW_ANONYMOUS: 'true', FRONTEND_URL: ORIGIN, SERVICE_OIDC_ACME_ISSUER: issuers.acme.url,
    SERVICE_OIDC_ACME_CLIENT_ID: CLIENT.id, SERVICE_OIDC_OTHER_ISSUER: issuers.other.url, SERVICE_OIDC_OTHER_CLIENT_ID: CLIENT.id,
  });
  await people.sql`select service_private.create_first_admin('admin@example.org', 'hash')`;
  const world: World = {
    ...people, office, post: (path, body, as) => people.post(path, body, as, fromAfar()),
    told: async (name, claims) => ({ idToken: await issuers[name].idToken({ claims: { ...claims } }) }),
  };
  const cases = Object.entries(BEGINNINGS).flatMap(([beginning, begin]) => orders(Object.keys(EVENTS)).flatMap(events =>
    Object.entries(PROOFS).map(([proof, prove]) => ({ beginning, begin, events, proof, prove }))));
  await Promise.all(some(cases).map(async ({ beginning, begin, events, proof, prove }, n) => {
    const says = [beginning, ...events, proof].join(', ');
    const email = `ada${n}@example.org`;
    const session = sessionOf(await begin(world, email));
    const of = { email, session, device: newDevice(), link: await office.linked(email, CONFIRM) };
    for (const event of events) {
      const answer = await EVENTS[event]?.(world, of);
      t.ok(answer !== undefined && answer.status < 300, `${says}: ${event} ${answer?.text}`);
    }
    const byOwner = async () => world.post('/auth/acme', await world.told('acme', { sub: `owner of ${email}`, email }));
    t.same(refusal(await byOwner()), [403, 'EMAIL_NOT_VERIFIED'], `${says}: no provider signs the owner in to it`);
    const proven = await prove(world, of);
    t.equal(proven.status, 200, `${says}: ${proven.text}`);
    for (const [way, comeBack] of Object.entries(RETURNS)) {
      const { status, body } = await comeBack(world, of);
      t.ok(status >= 400 || body.user.uid !== session.uid, `${says}: the stranger comes back by ${way}`);
    }
    t.match((await byOwner()).body.user, { uid: session.uid, email, emailVerified: true }, `${says}: now it does`);
  }));
});

function orders(list: string[]): string[][] {
  return list.length < 2 ? [list] : list.flatMap(first => orders(list.filter(other => other !== first)).map(rest => [first, ...rest]));
}
