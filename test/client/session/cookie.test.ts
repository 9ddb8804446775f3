import { test } from 'tap';
import { cookie, createAuth, type Auth } from '../../../client/src/index.ts';
import { until } from '../../harness/until.ts';
import { ADA, serveShort } from './people.ts';

const COOKIES = { AUTH_COOKIE: 'true', AUTH_COOKIE_SECURE: 'false' };
const BEN = { ...ADA, email: 'ben@example.org' };

type Jar = { auth: Auth; asked: string[]; kept: string };

/** A browser with its cookie, which it takes when an answer comes. `hold` may keep the answer of a route back. */
function browser(url: string, hold: (route: string) => Promise<unknown> | undefined = () => undefined, storage = cookie()): Jar {
  const jar: Omit<Jar, 'auth'> = { asked: [], kept: '' };
  const through: typeof fetch = async (address, init) => {
    const route = (address as string).replace(/.*\//, '');
    jar.asked.push(route);
    const response = await fetch(address, { ...init, headers: { ...init?.headers as Record<string, string>, cookie: jar.kept } });
    await hold(route);
    [jar.kept = jar.kept] = response.headers.getSetCookie().map(each => each.split(';', 1)[0]);
    return response;
  };
  return Object.assign(jar, { auth: createAuth({ url, storage, fetch: through }) });
}

test('a cookie stays that of the last sign-in: a refresh waits for it, and is of the person whose cookie it is', async t => {
  const { address, register } = await serveShort(t, { ...COOKIES, JWT_ACCESS_EXPIRES_IN: '4s' });
  await register(BEN.email);
  const { promise: held, resolve: release } = deferred();
  const jar = browser(address, route => route === 'login' ? held : undefined);
  const { auth } = jar;
  await auth.register(ADA);
  const ofAda = jar.kept;
  const entered = auth.login(BEN);
  const refreshed = auth.refresh();
  t.notOk(jar.asked.includes('refresh'), 'it waits');
  release();
  t.equal((await entered).user.email, BEN.email);
  t.equal((await refreshed)?.user.email, BEN.email);
  const told: (string | undefined)[] = [];
  auth.onChange(session => told.push(session?.user.email));
  jar.kept = ofAda;
  t.equal((await auth.refresh())?.user.email, ADA.email);
  t.same(told, [ADA.email]);
});

test('a tab that slept through the sign-in of another ends no session of that one', async t => {
  const { address, register } = await serveShort(t, COOKIES);
  await register(BEN.email);
  const asleep = browser(address, undefined, { ...cookie(), listen: () => undefined });
  const awake = browser(address);
  await asleep.auth.register(ADA);
  await awake.auth.login(BEN);
  asleep.kept = awake.kept;
  t.equal((await asleep.auth.refresh())?.user.email, BEN.email);
  await new Promise(resolve => { setImmediate(resolve); });
  t.equal((await awake.auth.session())?.user.email, BEN.email);
});

test('with a cookie a sign-in waits for a refresh under way, also after a sign-out', async t => {
  const { address, register } = await serveShort(t, COOKIES);
  await register(BEN.email);
  await register(ADA.email);
  for (const leave of ['signOut', 'forget'] as const) {
    const { promise: held, resolve: release } = deferred();
    const { auth, asked } = browser(address, route => route === 'refresh' && !asked.includes('me') ? held : undefined);
    await auth.login(ADA);
    const refreshed = auth.refresh().catch(() => undefined);
    await until('it is asked', () => asked.includes('refresh'));
    void auth[leave]();
    const entered = auth.login(BEN);
    release();
    await entered;
    await refreshed;
    t.equal((await auth.me()).email, BEN.email);
    t.equal((await auth.refresh())?.user.email, BEN.email, leave);
  }
});

test('with a cookie a visitor is one, and a sign-in is not undone by the sign-out before it', async t => {
  const { address, register } = await serveShort(t, COOKIES);
  await register(BEN.email);
  const { promise: held, resolve: release } = deferred();
  const { auth } = browser(address, route => route === 'logout' ? held : undefined);
  t.same(await Promise.all([auth.token(), auth.token()]), [undefined, undefined]);
  await auth.register(ADA);
  const left = auth.signOut();
  const entered = auth.login(BEN);
  release();
  await Promise.all([left, entered]);
  t.equal((await auth.refresh())?.user.email, BEN.email);
});

test('a sign-in or a sign-out by cookie that hangs holds others up for seconds, not for ever', async t => {
  const { address } = await serveShort(t, COOKIES);
  let hanging = 'login';
  const { auth } = browser(address, route => route === hanging ? new Promise(() => undefined) : undefined);
  await auth.register(ADA);
  void auth.login(ADA);
  t.equal((await auth.refresh())?.user.email, ADA.email);
  hanging = 'logout';
  void auth.signOut();
  t.equal((await auth.login(ADA)).user.email, ADA.email);
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>(done => { resolve = done; });
  return { promise, resolve: () => { resolve(); } };
}
