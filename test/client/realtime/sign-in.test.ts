import { test } from 'tap';
import type { RowgateError } from '../../../client/src/error.ts';
import { lendService } from '../../harness/lend.ts';
import { tokenFor } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';
import { openRealtime, recorded } from './watched.ts';

test('a refusal is told once, and tried again for when it is one no more', async t => {
  const service = await lendService(t, {});
  const wire = recorded();
  const session: { token?: string } = {};
  const client = openRealtime(t, service.address, { WebSocket: wire.WebSocket, token: () => session.token });
  const wrong = client.watch({ path: 'tags', parameters: { fields: 'nothing' } });
  const tags = client.watch({ path: 'tags' });
  await until('it is refused', () => tags.errors.length > 0);
  t.equal(tags.errors[0]?.code, 'UNAUTHORIZED', 'nobody is signed in');
  t.equal(tags.state, 'catching up');
  session.token = await tokenFor('reader', ['admin']);
  await service.account(session.token);
  client.renew();
  await tags.live();
  await until('it is refused for its field', () => wrong.errors.some(({ code }) => code === 'UNKNOWN_FIELD'));
  const asked = () => wire.sent.filter(({ payload }) => payload.fields === 'nothing').length;
  const before = asked();
  await until('it is tried again', () => asked() > before + 1);
  t.equal(wrong.errors.filter(({ code }) => code === 'UNKNOWN_FIELD').length, 1);
  t.same(wrong.told, []);
});

test('another caller gets another socket, and nothing that the earlier one was shown', async t => {
  const service = await lendService(t, {});
  const wire = recorded();
  const tokens = await Promise.all([tokenFor('one', ['admin']), tokenFor('two', ['admin'])]);
  for (const token of tokens) await service.account(token);
  let token: string | undefined = tokens[0];
  const client = openRealtime(t, service.address, { WebSocket: wire.WebSocket, token: () => token });
  const tags = client.watch({ path: 'tags' });
  await tags.live();
  token = tokens[1];
  client.renew();
  await until('the other is signed in', () => wire.heard.some(({ payload }) => payload?.uid === 'two'));
  t.equal(wire.opened, 2);
  await until('his rows are there', () => tags.told.length === 3);
  t.same(tags.told.map(({ state }) => state), ['live', 'offline', 'live']);
  t.equal(wire.sent.at(-1).payload.since, undefined);
  token = undefined;
  client.renew();
  await until('it is refused', () => tags.errors.some(({ code }) => code === 'UNAUTHORIZED'));
  t.equal(wire.opened, 3);
  t.equal(tags.state, 'catching up');
  t.equal(tags.told.length, 4);
  const late = client.watch({ path: 'tags' });
  await until('it is asked for again', () => tags.errors.length > 0 && wire.sent.at(-1).type === 'subscribe_collection');
  t.same(late.told, [], 'of the earlier caller');
});

test('a fresh token of the same caller is signed in with on the same socket', async t => {
  const service = await lendService(t, {});
  const wire = recorded();
  const tokens = await Promise.all([tokenFor('one', ['admin']), tokenFor('one', ['admin', 'editor'])]);
  await service.account(tokens[0]);
  let token = tokens[0];
  const client = openRealtime(t, service.address, { WebSocket: wire.WebSocket, token: () => token });
  const tags = client.watch({ path: 'tags' });
  await tags.live();
  token = tokens[1];
  client.renew();
  await until('it is signed in again', () => wire.heard.filter(({ type }) => type === 'AUTH_SUCCESS').length === 2);
  t.same(wire.sent.filter(({ type }) => type === 'AUTHENTICATE').map(({ payload }) => payload.token), tokens);
  t.equal(wire.opened, 1);
  t.same(tags.told.map(({ state }) => state), ['live']);
});

test('a caller whom sub names is the same one with each token', async t => {
  const service = await lendService(t, {});
  const wire = recorded();
  const tokens = await Promise.all([1, 2].map(jti => tokenFor(undefined as never, ['admin'], { sub: 'one', jti: String(jti) })));
  await service.account(await tokenFor('one', ['admin']));
  let [token = ''] = tokens;
  const client = openRealtime(t, service.address, { WebSocket: wire.WebSocket, token: () => token });
  const tags = client.watch({ path: 'tags' });
  await tags.live();
  token = tokens[1] ?? '';
  client.renew();
  await until('it is signed in again', () => wire.heard.filter(({ type }) => type === 'AUTH_SUCCESS').length === 2);
  t.equal(wire.opened, 1);
  t.same(tags.told.map(({ state }) => state), ['live']);
});

test('a token that is refused is told to the session, which has another', async t => {
  const service = await lendService(t, {});
  const good = await tokenFor('one', ['admin']);
  await service.account(good);
  let token = 'not.a.token';
  const refused: unknown[] = [];
  const client = openRealtime(t, service.address, {
    token: () => token,
    refused: (refusedToken, error) => {
      const { code, status } = error as RowgateError;
      refused.push([refusedToken, code, status]);
      token = good;
      return Promise.resolve(true);
    },
  });
  const tags = client.watch({ path: 'tags' });
  await tags.live();
  t.same(refused, [['not.a.token', 'UNAUTHORIZED', 401]]);
  t.same(tags.errors.map(({ code }) => code), ['INVALID_TOKEN']);
});

test('it asks whether the socket lives when the network or the page comes back', async t => {
  const service = await lendService(t, {});
  const page = new EventTarget();
  const platform = globalThis as Record<string, unknown>;
  platform['addEventListener'] = page.addEventListener.bind(page);
  platform['removeEventListener'] = page.removeEventListener.bind(page);
  platform['document'] = page;
  t.teardown(() => { for (const name of ['addEventListener', 'removeEventListener', 'document']) Reflect.deleteProperty(platform, name); });
  const wire = recorded();
  const tags = openRealtime(t, service.address, { WebSocket: wire.WebSocket }).watch({ path: 'tags' });
  await tags.live();
  const signedIn = () => wire.heard.filter(({ type }) => type === 'AUTH_SUCCESS').length;
  for (const [n, event] of ['online', 'visibilitychange'].entries()) {
    page.dispatchEvent(new Event(event));
    await until('it is answered', () => signedIn() === n + 2);
  }
  t.equal(wire.opened, 1);
  tags.unsubscribe();
  await until('the socket is closed', () => wire.closed === 1);
  page.dispatchEvent(new Event('online'));
  t.equal(wire.opened, 1, 'nothing needs it');
});
