import { test } from 'tap';
import { cookie, createAuth, listFactors, listIdentities, memory, type Options, type Session } from '../../../client/src/index.ts';
import { SERVICE_KEY } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { meddler } from '../meddler.ts';
import { ADA, proxy, refused, serveShort, tabs } from './people.ts';

const HOUR = 3_600_000;

test('a sign-in is kept, told after the change, and forgotten at sign-out, which ends it at the service', async t => {
  const { address, sql } = await serveShort(t);
  const [auth, other] = tabs(address, 2);
  if (auth === undefined || other === undefined) return;
  const told: (string | undefined)[] = [];
  const answers: unknown[] = [];
  // A request that is awaited in the callback is the one that hangs where a lock is held.
  const heard = (session: Session | undefined) => {
    told.push(session?.user.email);
    void auth.token().then(token => answers.push(token === session?.accessToken));
  };
  const end = auth.onChange(heard);
  t.equal(await auth.session(), undefined);
  t.equal(await auth.token(), undefined);
  const session = await auth.register({ ...ADA, displayName: 'Ada' });
  t.match(session, { user: { email: ADA.email, displayName: 'Ada' }, accessToken: /\./ });
  t.same(await auth.session(), session);
  t.same(await other.session(), session, 'a client that shares the storage has it too');
  t.equal((await other.me()).email, ADA.email);
  await until('both are answered', () => answers.length === told.length);
  await auth.signOut();
  await until('the sign-out is told', () => told.at(-1) === undefined && answers.length === told.length);
  end();
  t.equal(told[0], ADA.email);
  t.notOk(answers.includes(false), 'each callback saw its own change');
  t.same(await sql`select from service.sessions where revoked_at is null`, []);
  const count = told.length;
  await auth.login(ADA);
  await auth.me();
  t.equal(told.length, count, 'not told after the end');
});

test('requests at once share one refresh, and every client of a storage stays signed in', async t => {
  const { address } = await serveShort(t);
  const between = await proxy(t, address);
  const clients = tabs(between.url, 3);
  const [first] = clients;
  if (first === undefined) return;
  await first.register(ADA);
  await until('the token is near its end', async () => Date.now() > ((await first.session())?.expiresAt ?? 0) - 900);
  const names = await Promise.all(clients.flatMap(client => Array.from({ length: 10 }, () => client.me())));
  t.same(new Set(names.map(({ email }) => email)), new Set([ADA.email]));
  const refreshes = between.asked.filter(path => path === '/api/auth/refresh').length;
  t.ok(refreshes >= 1 && refreshes <= 3, `${refreshes} refreshes, at most one a client`);
  t.equal(new Set(await Promise.all(clients.map(client => client.token()))).size, 1, 'they agree on one of the tokens');
});

for (const [name, offset] of [['an hour late', -HOUR], ['an hour early', HOUR]] as const) {
  test(`a clock that goes ${name} neither refreshes always nor too late`, async t => {
    const { address } = await serveShort(t, { JWT_ACCESS_EXPIRES_IN: '4s' });
    const between = await proxy(t, address);
    const now = () => Date.now() + offset;
    const [auth] = tabs(between.url, 1, memory(), { now });
    const session = await auth?.register(ADA);
    for (let n = 0; n < 5; n++) await auth?.me();
    t.notOk(between.asked.includes('/api/auth/refresh'), 'a token that has just begun is used');
    await until('half of its life is over', () => now() > (session?.expiresAt ?? Infinity) - 2_000);
    await auth?.me();
    t.equal(between.asked.filter(path => path === '/api/auth/me').length, 6, 'no request was refused first');
    t.equal(between.asked.filter(path => path === '/api/auth/refresh').length, 1);
  });
}

test('a token that the service refuses is refreshed once, and the request sent again: the clock was set back', async t => {
  const { address } = await serveShort(t);
  const between = await proxy(t, address);
  let offset = HOUR;
  const [auth] = tabs(between.url, 1, memory(), { now: () => Date.now() + offset });
  const session = await auth?.register(ADA);
  const end = Date.now() + 3_000;
  await until('the token is over by the service\'s clock', () => Date.now() > end);
  // It seems to last for hours now.
  offset = (session?.expiresAt ?? 0) - Date.now() - 1_900;
  t.equal((await auth?.me())?.email, ADA.email);
  t.same(between.asked.slice(1), ['/api/auth/me', '/api/auth/refresh', '/api/auth/me']);
});

test('what a proxy or a lost connection makes of a refresh signs out no one, and is tried again', async t => {
  const { address } = await serveShort(t);
  const between = await proxy(t, address);
  const [auth] = tabs(between.url, 1);
  await auth?.register(ADA);
  const told: unknown[] = [];
  auth?.onChange(session => told.push(session?.user.email));
  const broken: ((response: Parameters<typeof between.meddle>[1], text: string) => void)[] = [
    response => { response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in to the hotel</h1>'); },
    (response, text) => { response.writeHead(200, { 'content-type': 'application/json' }).end(text.slice(0, text.length / 2)); },
    response => { response.destroy(); },
    response => { response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'); },
  ];
  between.meddle = (call, response, text) => {
    broken[call - 1]?.(response, text);
    return broken[call - 1] === undefined;
  };
  t.ok(await auth?.refresh(), 'the fifth answer holds');
  between.meddle = (_, response) => { response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Closed</h1>'); return false; };
  t.same(await refused(auth?.refresh() ?? Promise.resolve()), ['NETWORK', 200]);
  between.meddle = (_, response) => {
    response.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Who are you?</h1>');
    return false;
  };
  t.same(await refused(auth?.refresh() ?? Promise.resolve()), ['NETWORK', 401], 'a refusal that is not of the service');
  t.ok(await auth?.session());
  between.meddle = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"user": null}');
    return false;
  };
  t.same(await refused(auth?.refresh() ?? Promise.resolve()), ['NETWORK', 0]);
  between.meddle = () => true;
  t.equal((await auth?.me())?.email, ADA.email);
  t.notOk(told.includes(undefined));
});

test('what an account reads is sent again after a lost connection, what it changes is not; each takes a signal and a timeout', async t => {
  const { address } = await serveShort(t, { JWT_ACCESS_EXPIRES_IN: '1h' });
  let outcome: 'lost' | 'silent' | undefined;
  let isLate = (): void => undefined;
  const { url, seen } = await meddler(t, address, (call, response) => {
    if (outcome === 'silent') isLate();
    const isLost = outcome === 'lost' && call < 3;
    if (isLost) response.destroy();
    return !isLost && outcome !== 'silent';
  }, ({ url: path = '' }) => path.startsWith('/api/auth/'));
  const auth = createAuth({ url, storage: memory() });
  await auth.register(ADA);
  const calls = async (call: Promise<unknown>): Promise<[answer: unknown, calls: number]> => {
    seen.length = 0;
    return [await refused(call), seen.length];
  };
  outcome = 'lost';
  for (const call of [() => auth.me(), () => auth.sessions(), () => listFactors(auth), () => listIdentities(auth)]) {
    t.same(await calls(call()), [undefined, 3]);
  }
  for (const call of [() => auth.sendVerification(), () => auth.login(ADA), () => auth.updateMe({ displayName: 'Ada' })]) {
    t.same(await calls(call()), [['NETWORK', 0], 1]);
  }
  t.same(await calls(auth.me({ retries: 1 })), [['NETWORK', 0], 2]);
  t.notOk(seen.some(({ headers }) => 'idempotency-key' in headers), 'the routes of accounts keep no keys');
  outcome = 'silent';
  for (const call of [
    (options: Options) => auth.me(options), (options: Options) => auth.sendVerification(options),
    (options: Options) => auth.login(ADA, options),
  ]) {
    const abort = new AbortController();
    isLate = () => { abort.abort(); };
    await t.rejects(async () => { await call({ signal: abort.signal }); }, { name: 'AbortError' });
    isLate = () => undefined;
    await t.rejects(async () => { await call({ timeout: 50 }); }, { code: 'NETWORK', details: { reason: 'timeout' } });
  }
});

test('a request goes on as the person who began it, or not at all', async t => {
  const { address, register } = await serveShort(t, { JWT_ACCESS_EXPIRES_IN: '4s' });
  await register('ben@example.org');
  const ben = { ...ADA, email: 'ben@example.org' };
  const between = await proxy(t, address);
  let asked = (): void => undefined;
  const { url, seen } = await meddler(t, between.url, (call, response) => {
    asked();
    if (call > 1) return true;
    response.destroy();
    return false;
  }, ({ url }) => url === '/api/auth/me');
  const [auth, other] = tabs(url, 2);
  if (auth === undefined || other === undefined) return;
  await auth.register(ADA);
  const entered = new Promise(resolve => { asked = () => { asked = () => undefined; resolve(other.login(ben)); }; });
  t.same(await refused(auth.me()), ['SESSION_ENDED', 401], 'another one signed in before it was sent again');
  await entered;
  t.equal(seen.length, 1);
  t.equal((await auth.me()).email, ben.email);

  await other.login(ADA);
  for (const change of [() => other.login(ben), () => other.signOut()]) {
    let release = (): void => undefined;
    const arrived = new Promise<void>(resolve => {
      between.meddle = (_, response, text) => {
        release = () => { response.writeHead(200, { 'content-type': 'application/json' }).end(text); };
        resolve();
        return false;
      };
    });
    await other.login(ADA);
    const { expiresAt = 0 } = await other.session() ?? {};
    await until('the token is near its end', () => Date.now() > expiresAt - 1_900);
    const waiting = refused(auth.me());
    await arrived;
    await change();
    release();
    t.same(await waiting, ['SESSION_ENDED', 401], 'while it waited for a token');
  }
});

test('a person is known by the claims of the token, in whatever script the uid is', async t => {
  const { address, post } = await serveShort(t);
  const { status, text } = await post('/admin/users', { ...ADA, uid: 'jürgen-山田' }, SERVICE_KEY);
  t.equal(status, 201, text);
  const [auth] = tabs(address, 1);
  t.equal((await auth?.login(ADA))?.user.uid, 'jürgen-山田');
  t.equal((await auth?.me())?.email, ADA.email);
  t.equal((await auth?.refresh())?.user.uid, 'jürgen-山田');
});

test('sessions of two services at one origin are kept apart, and their tabs do not hear of each other', async t => {
  const [one, other] = [await serveShort(t), await serveShort(t)];
  const texts = new Map<string, string>();
  t.intercept(globalThis, 'localStorage', { value: {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => { texts.set(name, text); },
    removeItem: (name: string) => { texts.delete(name); },
  } });
  const [first, second] = [createAuth({ url: one.address }), createAuth({ url: other.address })];
  const session = await first.register(ADA);
  t.equal(await second.session(), undefined);
  await second.register({ ...ADA, email: 'ben@example.org' });
  t.same(await first.session(), session);
  t.equal((await createAuth({ url: one.address }).session())?.user.email, ADA.email, 'another tab has it');

  const told: string[] = [];
  const inCookie = (url: string, name: string) => {
    const auth = createAuth({ url, storage: cookie() });
    auth.onChange(() => told.push(name));
    return auth;
  };
  const [writing] = [inCookie(one.address, 'writing'), inCookie(other.address, 'of the other'), inCookie(one.address, 'its tab')];
  await writing.login(ADA);
  await until('its tab is told', () => told.includes('its tab'));
  t.same(told, ['writing', 'its tab']);
});

test('a callback that throws ends neither the program nor the callbacks after it', async t => {
  const { address } = await serveShort(t);
  const [auth] = tabs(address, 1);
  const errors = t.capture(console, 'error', () => undefined);
  const told: unknown[] = [];
  auth?.onChange(() => { throw new Error('of the program'); });
  auth?.onChange(() => Promise.reject(new Error('of what it waits for')));
  auth?.onChange(session => told.push(session?.user.email));
  await auth?.register(ADA);
  await until('the other is told', () => told.length === 1);
  t.match(errors().map(({ args: [error] }) => String(error)), ['Error: of the program', 'Error: of what it waits for']);
});

test('a refusal of the service signs out, is told, and fails the request that waited, which is not sent without a sign-in', async t => {
  const { address, sql } = await serveShort(t);
  const between = await proxy(t, address);
  const [auth, other] = tabs(between.url, 2);
  if (auth === undefined || other === undefined) return;
  await auth.register(ADA);
  t.ok(await other.session());
  const told: unknown[] = [];
  other.onChange(session => told.push(session));
  await sql`select service.end_all_sessions(uid) from service.users`;
  t.same(await refused(auth.me()), ['SESSION_REVOKED', 401]);
  t.same(between.asked.slice(1), ['/api/auth/me', '/api/auth/refresh']);
  t.equal(await auth.session(), undefined);
  t.equal(await other.session(), undefined);
  await until('the other is told', () => told.length === 1);
  t.same(told, [undefined]);
  t.ok(await auth.login(ADA), 'and signs in again');
});

test('storage with garbage in it is a storage without a session', async t => {
  const { address } = await serveShort(t);
  const whole = memory();
  const [maker] = tabs(address, 1, whole);
  await maker?.register(ADA);
  const text = whole.get() ?? '';
  const soon = text.replace(/"expiresAt":\d+/, '"expiresAt":"soon"');
  for (const garbage of ['', '{', 'null', '[]', '"text"', '{"user":{}}', text.slice(0, 200), soon]) {
    const auth = createAuth({ url: address, storage: memory(garbage) });
    t.equal(await auth.session(), undefined, garbage);
    t.equal(await auth.token(), undefined);
    t.ok(await auth.login(ADA));
    t.equal((await auth.me()).email, ADA.email);
  }
  const stranger = createAuth({ url: address, storage: memory(text.replace(/("accessToken":"[^"]*)[^"]{9}"/, '$1AAAAAAAAA"')) });
  t.equal((await stranger.me()).email, ADA.email, 'an access token that the service does not know is replaced');
  const unknown = text.replace(/"refreshToken":"[^"]*"/, '"refreshToken":"x"').replace(/"expiresAt":\d+/, '"expiresAt":1');
  const lost = createAuth({ url: address, storage: memory(unknown) });
  t.same(await refused(lost.me()), ['INVALID_TOKEN', 401]);
});

test('a sign-out or another sign-in while a refresh runs is what holds', async t => {
  const { address, register } = await serveShort(t);
  await register('ben@example.org');
  const between = await proxy(t, address);
  const [auth, other] = tabs(between.url, 2);
  if (auth === undefined || other === undefined) return;
  await auth.register(ADA);
  let release = (): void => undefined;
  between.meddle = (_, response, text) => {
    release = () => { response.writeHead(200, { 'content-type': 'application/json' }).end(text); };
    return false;
  };
  let before = between.asked.length;
  let refreshing = auth.refresh();
  await until('the refresh was answered', () => release.name === 'release' && between.asked.length > before);
  await other.login({ ...ADA, email: 'ben@example.org' });
  between.meddle = () => true;
  t.equal((await auth.session())?.user.email, 'ben@example.org');
  before = between.asked.length;
  await auth.refresh();
  t.equal(between.asked.length, before + 1, 'his own refresh is none of hers');
  release();
  t.equal((await refreshing)?.user.email, 'ben@example.org');
  between.meddle = (_, response, text) => {
    release = () => { response.writeHead(200, { 'content-type': 'application/json' }).end(text); };
    return false;
  };
  release = () => undefined;
  before = between.asked.length;
  refreshing = auth.refresh();
  await until('it runs', () => between.asked.length > before);
  await auth.signOut();
  await until('its answer is there', () => { release(); return true; });
  t.equal(await auth.session(), undefined);
  between.meddle = () => true;
  await refreshing.catch(() => undefined);
  t.equal(await auth.session(), undefined, 'the answer that came later signs in no one');
});
