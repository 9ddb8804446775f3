// The caller of a socket, from its first frame to its last.
import { setImmediate } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { pino } from 'pino';
import { test, type Test } from 'tap';
import { ApiError } from '../../gateway/error.ts';
import type { Part } from '../../gateway/features/realtime/frame-group.ts';
import { createRealtime } from '../../gateway/features/realtime/realtime.ts';
import { FrameRate } from '../../gateway/features/realtime/rate.ts';
import type { Connection } from '../../gateway/http/sockets.ts';
import { anonymousCaller, serviceCaller, type Caller } from '../../gateway/identity/caller.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { JWT_SECRET, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { connect, refusedUpgrade, type TestSocket } from '../harness/socket.ts';
import { serveAccounts } from '../accounts/people.ts';
import { until } from '../harness/until.ts';

function tokenUntil(uid: string, seconds: number): Promise<string> {
  const end = Math.ceil(Date.now() / 1000) + seconds;
  return new SignJWT({ uid, roles: [] }).setProtectedHeader({ alg: 'HS256' }).setIssuedAt().setExpirationTime(end)
    .sign(new TextEncoder().encode(JWT_SECRET));
}

/** How a socket is told that it is over. */
async function farewell(socket: TestSocket): Promise<[code: string, requestId: string | undefined, closed: number]> {
  const { payload, requestId } = await socket.next({ type: 'AUTH_ERROR' });
  return [payload.error.code, requestId, (await socket.closed).code];
}

const LIST = { path: 'notes' };
const setup = `
  create table public.notes (id integer primary key, title text);
  insert into public.notes values (1, 'first');
  alter table public.notes enable row level security;
  create policy everybody on public.notes using (true);`;
const env = { SERVICE_SOURCE: 'tables', ALLOW_REGISTRATION: 'true' };

test('a session', async t => {
  const service = await serveAccounts(t, env, { template: 'served', setup });

  await t.test('an impersonation is refused at the handshake', async t => {
    t.match(await refusedUpgrade(t, service.address, { headers: { 'x-service-impersonate': 'ann' } }), [501, { code: 'NOT_IMPLEMENTED' }]);
  });

  await t.test('AUTHENTICATE takes each credential that REST takes', async t => {
    const socket = await connect(t, service);
    const { body: { key: { key } } } = await service.request('/admin/api-keys',
      { method: 'POST', body: JSON.stringify({ name: 'x', scopes: ['data:read'] }) });
    const editor = await tokenFor('editor', ['editor']);
    await service.account(editor);
    t.match(await socket.request('AUTHENTICATE', { token: SERVICE_KEY }),
      { type: 'AUTH_SUCCESS', payload: { uid: 'service', roles: ['admin'] } });
    t.same((await socket.request('AUTHENTICATE', { token: editor })).payload, { uid: 'editor', roles: ['editor'] });
    t.match(await socket.request('AUTHENTICATE', { token: key }),
      { type: 'AUTH_SUCCESS', payload: { uid: /^api-key:/, roles: ['service'] } });
    t.equal((await socket.request('FETCH_COLLECTION', LIST)).type, 'FETCH_COLLECTION_SUCCESS');
  });

  await t.test('a refused credential leaves who was there', async t => {
    const socket = await connect(t, service, { token: await tokenFor('ann') });
    const refused: [payload: object, code: string][] = [
      [{}, 'INVALID_INPUT'], [{ token: '' }, 'INVALID_INPUT'], [{ token: 5 }, 'INVALID_INPUT'],
      [{ token: SERVICE_KEY, impersonate: 5 }, 'INVALID_INPUT'], [{ token: SERVICE_KEY, impersonate: null }, 'INVALID_INPUT'],
      [{ token: SERVICE_KEY, impersonate: 'ann' }, 'NOT_IMPLEMENTED'], [{ token: 'x' }, 'INVALID_TOKEN'],
      [{ token: 'x y' }, 'INVALID_TOKEN'], [{ token: 'x'.repeat(9_000) }, 'INVALID_TOKEN'], [{ token: '\ud800' }, 'INVALID_TOKEN'],
      [{ token: await tokenUntil('ann', -5) }, 'INVALID_TOKEN'], [{ token: await tokenFor('nobody has this account') }, 'INVALID_TOKEN'],
      [{ token: await tokenFor('ann', [], { purpose: 'mcp' }) }, 'INVALID_TOKEN'],
      [{ token: 'rk_live_00000000000000000000000000000000' }, 'INVALID_TOKEN'],
    ];
    for (const [payload, code] of refused) {
      const answer = await socket.request('AUTHENTICATE', payload);
      t.same([answer.type, answer.payload.error.code], ['AUTH_ERROR', code], JSON.stringify(payload).slice(0, 80));
    }
    t.equal((await socket.request('FETCH_COLLECTION', LIST)).type, 'FETCH_COLLECTION_SUCCESS');
  });

  await t.test('malformed frames are refused', async t => {
    const socket = await connect(t, service, { token: SERVICE_KEY });
    const sent: [frame: string | Buffer | object, code: string, requestId?: string][] = [
      ['', 'INVALID_INPUT'], ['{', 'INVALID_INPUT'], ['null', 'INVALID_INPUT'], ['[]', 'INVALID_INPUT'], ['"x"', 'INVALID_INPUT'],
      [{}, 'INVALID_INPUT'], [{ requestId: 'a' }, 'INVALID_INPUT', 'a'], [{ type: 'COUNT', requestId: 1 }, 'INVALID_INPUT'],
      [{ type: 'COUNT', requestId: 'b', payload: [] }, 'INVALID_INPUT', 'b'], [{ type: 1, requestId: 'c' }, 'INVALID_INPUT', 'c'],
      [{ type: 'NOTHING', requestId: 'd' }, 'UNKNOWN_MESSAGE_TYPE', 'd'],
      [{ type: '__proto__', requestId: 'e' }, 'UNKNOWN_MESSAGE_TYPE', 'e'], [{ type: 'toString' }, 'UNKNOWN_MESSAGE_TYPE'],
      [Buffer.from('{"type":"COUNT"}'), 'INVALID_INPUT'],
    ];
    for (const [frame, code, requestId] of sent) {
      socket.send(frame);
      const answer = await socket.next({ type: 'ERROR' });
      t.same([answer.payload.error.code, answer.requestId], [code, requestId], JSON.stringify(frame));
    }
  });

  await t.test('before it is signed in', async t => {
    const socket = await connect(t, service);
    t.equal(await socket.refusal('FETCH_COLLECTION', LIST), 'UNAUTHORIZED');
    t.equal(await socket.refusal('NOTHING'), 'UNKNOWN_MESSAGE_TYPE');
    socket.send({ type: 'COUNT', payload: { path: 'x'.repeat(65_536) } });
    t.equal((await socket.closed).code, 1009);
    const known = await connect(t, service, { token: SERVICE_KEY });
    t.equal(await known.refusal('COUNT', { path: 'x'.repeat(65_536) }), 'NOT_FOUND');
  });

  await t.test('4001: the token comes to its end', async t => {
    const token = await tokenUntil('short', 1);
    const socket = await connect(t, service, { token });
    t.same(await farewell(socket), ['TOKEN_EXPIRED', undefined, 4001]);
  });

  await t.test('4001: it is signed out, at once and without a frame', async t => {
    const person = await service.register('ada@example.org');
    const socket = await connect(t, service, { token: person.access });
    await service.post('/auth/logout', { refreshToken: person.refresh });
    t.same(await farewell(socket), ['SESSION_ENDED', undefined, 4001]);
  });

  await t.test('4001: the account, or the key, is no more', async t => {
    const token = await tokenFor('gone');
    const socket = await connect(t, service, { token });
    await service.sql`delete from service.users where uid = 'gone'`;
    t.same(await farewell(socket), ['SESSION_ENDED', undefined, 4001]);
    const { body: { key: { key, id } } } = await service.request('/admin/api-keys',
      { method: 'POST', body: JSON.stringify({ name: 'x', scopes: ['data:read'] }) });
    const keyed = await connect(t, service, { token: key as string });
    await service.request(`/admin/api-keys/${id}`, { method: 'DELETE' });
    t.same(await farewell(keyed), ['SESSION_ENDED', undefined, 4001]);
  });

  await t.test('while identity is unknown the socket stays, and its frames are refused', async t => {
    const socket = await connect(t, service, { token: await tokenFor('ann') });
    await service.sql.unsafe('alter function service_private.account_standing rename to account_standing_away');
    try {
      await service.sql`select pg_notify('service_accounts', 'ann')`;
      await service.request('/auth/config', { as: null });
      await until('frames are refused', async () => await socket.refusal('FETCH_COLLECTION', LIST) === 'ROLE_LOOKUP_FAILED');
      t.match(await socket.request('AUTHENTICATE', { token: await tokenFor('ann', [], { other: true }) }),
        { type: 'AUTH_ERROR', payload: { error: { code: 'ROLE_LOOKUP_FAILED' } } });
    } finally {
      await service.sql.unsafe('alter function service_private.account_standing_away rename to account_standing');
    }
    t.equal((await socket.request('FETCH_COLLECTION', LIST)).type, 'FETCH_COLLECTION_SUCCESS');
  });

  await t.test('2000 frames a minute, and the socket stays', async t => {
    const socket = await connect(t, service, { token: SERVICE_KEY });
    for (let n = 2; n <= 2000; n++) socket.send({ type: 'NOTHING', requestId: String(n) });
    t.equal((await socket.next({ requestId: '2000' })).payload.error.code, 'UNKNOWN_MESSAGE_TYPE');
    const { payload: { error } } = await socket.request('AUTHENTICATE', { token: SERVICE_KEY });
    t.match(error, { code: 'RATE_LIMITED', details: { retryAfterSeconds: Number } });
    t.ok(error.details.retryAfterSeconds >= 1 && error.details.retryAfterSeconds <= 60);
    socket.send(Buffer.from('x'));
    t.equal((await socket.next({ requestId: undefined as unknown as string, type: 'ERROR' })).payload.error.code, 'RATE_LIMITED');
  });

  await t.test('every frame is answered or a channel\'s, and the service goes on', async t => {
    const below = generator(seed);
    const socket = await connect(t, service, { token: await tokenFor('fuzz', []) });
    const types = ['AUTHENTICATE', 'FETCH_COLLECTION', 'FETCH_ONE', 'COUNT', 'SAVE', 'DELETE', 'CHECK_UNIQUE_FIELD', 'NOTHING'];
    const names = [
      'path', 'id', 'filter', 'logical', 'orderBy', 'limit', 'include', 'fields', 'values', 'row', 'name', 'value', 'vectorSearch',
      'startAfter', 'token', '__proto__', 'toString', 'conditions', 'type', 'title', '\ud800',
    ];
    const plain = [
      'null', 'true', '-0', '1e400', '123456789012345678901234567890.10', '""', '"notes"', '"notes/1"', '"\\ud800"', '"\\u0000"', '"%zz"',
      '"or"', '[]', '{}', '"\\\\"', '"(,)"',
    ];
    const value = (depth: number): string => {
      const kind = depth > 4 ? 2 : below(4);
      if (kind === 0) {
        return `{${Array.from({ length: below(4) }, () => `${JSON.stringify(names[below(names.length)])}:${value(depth + 1)}`).join()}}`;
      }
      if (kind === 1) return `[${Array.from({ length: below(4) }, () => value(depth + 1)).join()}]`;
      return plain[below(plain.length)] ?? '';
    };
    const count = runs(1_900);
    for (let n = 0; n < count; n++) {
      const payload = `{${Array.from({ length: below(6) }, () => `${JSON.stringify(names[below(names.length)])}:${value(0)}`).join()}}`;
      socket.send(`{"type":"${types[below(types.length)]}","requestId":"f${n}","payload":${payload}}`);
      const answer = await socket.next({ requestId: `f${n}` });
      if (answer.payload.error !== undefined && !/^[A-Z][A-Z0-9_]+$/.test(answer.payload.error.code)) {
        t.fail(`${payload}: ${JSON.stringify(answer)}`);
      }
      if (answer.payload.error?.code === 'INTERNAL_ERROR') t.fail(`${payload} is answered ${JSON.stringify(answer)}`);
    }
    const nested = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    for (const [type, payload] of [
      ['SAVE', `{"path":"notes","values":${nested}}`], ['COUNT', `{"path":"notes","filter":${nested}}`], ['DELETE', nested],
      ['AUTHENTICATE', `{"token":${nested}}`],
    ] as const) {
      socket.send(`{"type":"${type}","requestId":"nested","payload":${payload}}`);
      t.equal((await socket.next({ requestId: 'nested' })).payload.error.code, 'INVALID_INPUT', type);
    }
    for (const deep of [
      '['.repeat(50_000),
      `{"type":"FETCH_COLLECTION","requestId":"deep","payload":{"path":"notes","filter":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}}`,
    ]) {
      socket.send(deep);
      t.match(await socket.next({ type: 'ERROR' }), { payload: { error: { code: /^[A-Z_]+$/ } } });
    }
    const last = await connect(t, service, { token: SERVICE_KEY });
    t.equal((await last.request('COUNT', LIST)).type, 'COUNT_SUCCESS');
  });
});

test('without required sign-in a socket is the anonymous caller', async t => {
  const service = await serveAccounts(t, { ...env, AUTH_REQUIRE: 'false' }, { template: 'served', setup });
  const socket = await connect(t, service);
  t.equal((await socket.request('FETCH_COLLECTION', LIST)).type, 'FETCH_COLLECTION_SUCCESS');
  t.equal(await socket.refusal('COUNT', { path: 'x'.repeat(65_536) }), 'NOT_FOUND');
  t.equal((await socket.request('AUTHENTICATE', { token: 'x' })).payload.error.code, 'INVALID_TOKEN');
  t.equal((await socket.request('COUNT', LIST)).type, 'COUNT_SUCCESS');
});

/** A session whose parts and callers are the test's. */
function session(t: Test, part: Part, callerOf: (authorization: string) => Caller | Promise<Caller> = () => serviceCaller) {
  const sent: any[] = [];
  const closed: number[] = [];
  const realtime = createRealtime({ parts: [part], admit: () => undefined, callerOf, anonymous: true, log: pino({ level: 'silent' }) });
  t.teardown(() => realtime.close());
  const socket = {
    ip: '127.0.0.1', unsent: 0, send: (frame: string | Uint8Array) => { sent.push(JSON.parse(frame.toString())); },
    close: (code: number) => { closed.push(code); connection.closed(); },
  };
  const connection: Connection = realtime.accept(socket);
  const hear = (frame: object) => { connection.heard(Buffer.from(JSON.stringify(frame))); };
  return { sent, closed, socket, connection, realtime, hear };
}

/** Whatever could follow by itself has followed. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}

const user = (uid: string, more: Partial<Caller> = {}): Caller =>
  ({ ...anonymousCaller, kind: 'user', uid, claims: [uid, '', 'false', '', ''], ...more });

test('frames are handled in order, requests beside each other', async t => {
  const begun: string[] = [];
  const gate = Promise.withResolvers<undefined>();
  const slow = { kind: 'request', handle: async (_: unknown, { requestId = '' }: { requestId?: string }) => {
    begun.push(requestId);
    await gate.promise;
    return { requestId };
  } } as const;
  const { hear, sent } = session(t, { frames: {
    SLOW: slow,
    join: { kind: 'channel', handle: async () => { begun.push('join'); await setImmediate(); begun.push('joined'); } },
    roster: { kind: 'channel', handle: () => { begun.push('roster'); throw new ApiError(403, 'CONFLICT', 'no'); } },
    subscribe: { kind: 'subscription', handle: () => { throw new Error('secret'); } },
  } });
  for (let n = 1; n <= 32; n++) hear({ type: 'SLOW', requestId: String(n) });
  hear({ type: 'join', payload: { channel: 'room' } });
  hear({ type: 'roster', requestId: 'r', payload: { channel: 'room' } });
  hear({ type: 'subscribe', payload: { subscriptionId: 's' } });
  hear({ type: 'SLOW', requestId: '33' });
  await quiet();
  t.same(begun.slice(32), ['join', 'joined', 'roster'], 'behind the slow ones, in order; the 33rd waits');
  t.match(sent[0],
    { type: 'ERROR', channel: 'room', error: 'no', payload: { channel: 'room', error: { code: 'CONFLICT', message: 'no' } } });
  t.notOk('requestId' in sent[0]);
  t.match(sent[1], { type: 'ERROR', subscriptionId: 's', payload: { error: { code: 'INTERNAL_ERROR' } } });
  t.notMatch(JSON.stringify(sent[1]), /secret/);
  gate.resolve(undefined);
  await until('35 frames are sent', () => sent.length === 35);
  t.match(sent.at(-1), { type: 'SLOW_SUCCESS', requestId: '33', payload: { requestId: '33' } });
});

test('another caller, and another role, are passed to the parts before any other frame', async t => {
  const steps: string[] = [];
  let ann = user('ann');
  const { hear, sent, realtime, closed } = session(t, {
    frames: { COUNT: {
      kind: 'request', handle: session => { steps.push(`count ${session.caller.uid}`); return new Uint8Array(Buffer.from('{"count":1}')); },
    } },
    rebound: async session => { steps.push(`rebound ${session.caller.uid} ${session.caller.roles.join()}`); await setImmediate(); },
  }, authorization => { if (authorization === 'Bearer bob') return user('bob'); if (ann.uid === '') throw new ApiError(401, 'UNAUTHORIZED',
    ''); return ann; });
  hear({ type: 'AUTHENTICATE', requestId: '1', payload: { token: 'ann' } });
  hear({ type: 'COUNT', requestId: '2' });
  hear({ type: 'AUTHENTICATE', requestId: '3', payload: { token: 'bob' } });
  hear({ type: 'AUTHENTICATE', requestId: '4', payload: { token: 'bob' } });
  hear({ type: 'AUTHENTICATE', requestId: '5', payload: { token: 'ann' } });
  await until('5 frames are sent', () => sent.length === 5);
  t.same(steps, ['rebound ann anon', 'count ann', 'rebound bob anon', 'rebound ann anon'], 'the same caller again is nothing new');
  t.same(sent.map(({ type }) => type as string), ['AUTH_SUCCESS', 'COUNT_SUCCESS', 'AUTH_SUCCESS', 'AUTH_SUCCESS', 'AUTH_SUCCESS']);
  t.same(sent[1], { type: 'COUNT_SUCCESS', requestId: '2', payload: { count: 1 } });
  ann = user('ann', { roles: ['editor'], claims: ['ann', 'editor', 'false', '', ''] });
  await realtime.judge('bob');
  await realtime.judge('ann');
  t.same(steps.slice(4), ['rebound ann editor'], 'without a frame');
  ann = user('');
  await realtime.judge();
  t.match(sent.at(-1), { type: 'AUTH_ERROR', payload: { error: { code: 'SESSION_ENDED' } } });
  t.same(closed, [4001]);
});

test('a new identity waits for what the old one asked', async t => {
  const gate = Promise.withResolvers<undefined>();
  const { hear, sent } = session(t, { frames: { SLOW: { kind: 'request', handle: () => gate.promise } } },
    authorization => user(authorization));
  hear({ type: 'AUTHENTICATE', requestId: '1', payload: { token: 'ann' } });
  hear({ type: 'SLOW', requestId: '2' });
  hear({ type: 'AUTHENTICATE', requestId: '3', payload: { token: 'bob' } });
  await until('1 frames are sent', () => sent.length === 1);
  await quiet();
  t.same(sent.map(({ requestId }) => requestId as string), ['1']);
  gate.resolve(undefined);
  await until('3 frames are sent', () => sent.length === 3);
  t.same(sent.map(({ requestId }) => requestId as string), ['1', '2', '3']);
});

test('nothing is done for a socket that is closed, or takes nothing', async t => {
  const begun: string[] = [];
  const { hear, connection, socket, sent } = session(t, {
    frames: { COUNT: { kind: 'request', handle: (session, { requestId = '' }) => { begun.push(requestId); if (requestId === '2') {
      t.notOk(session.signal.aborted);
    } return {}; } } },
    closed: () => { begun.push('closed'); },
  });
  socket.unsent = 5 * 1024 * 1024;
  hear({ type: 'COUNT', requestId: '1' });
  await quiet();
  t.same(begun, []);
  socket.unsent = 0;
  connection.drained();
  await quiet();
  t.same(begun, ['1']);
  hear({ type: 'COUNT', requestId: '2' });
  connection.closed();
  hear({ type: 'COUNT', requestId: '3' });
  await quiet();
  t.same(begun, ['1', 'closed']);
  t.equal(sent.length, 1);
});

test('waits are bounded', async t => {
  const { hear, sent } = session(t, { frames: { join: { kind: 'channel', handle: () => new Promise(() => undefined) } } });
  for (let n = 0; n < 3; n++) hear({ type: 'join', payload: { channel: 'room', text: 'x'.repeat(9 * 1024 * 1024) } });
  await quiet();
  t.match(sent, [{ type: 'ERROR', channel: 'room', payload: { error: { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } } } }]);
});

test('frames are counted by the minute', t => {
  const rate = new FrameRate(3);
  for (const now of [0, 1, 59_999]) rate.take(now);
  t.throws(() => rate.take(59_999), { code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } });
  rate.take(60_000);
  t.throws(() => { for (let n = 0; n < 3; n++) rate.take(60_000); }, { code: 'RATE_LIMITED', details: { retryAfterSeconds: 60 } });
  t.end();
});
