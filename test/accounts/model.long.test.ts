// Sessions as a model in memory, beside two gateways on one database whose notifications are cut off at random: a session that has ended in
// the model gets no answer, and an active one gets that of its roles.
import { setTimeout } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { tokenFor, type Answer } from '../harness/service.ts';
import { collections } from '../write/client.ts';
import { OPEN, PASSWORD, serveAt } from './people.ts';

type Account = { uid: string; isThere: boolean; disabled: boolean; isAdmin: boolean };
type Session = { account: Account; id: string; access: string[]; refresh: string; isOver: boolean };
type Gateway = Awaited<ReturnType<typeof serveAt>>;

const DEAFEN = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name = 'rowgate listen'`;
const emailOf = ({ uid }: Account) => `${uid}@example.org`;
const isIn = ({ account, isOver }: Session) => account.isThere && !account.disabled && !isOver;

test('a session gets no answer after it ended, at any gateway', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const env = { ...OPEN, TRUSTED_PROXY_HOPS: '1', SERVICE_COLLECTIONS_DIR: collections(t, { slug: 'users', auth: true }) };
  const gateways = [await serveAt(t, url, env), await serveAt(t, url, env)];
  const below = generator(seed);
  const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;

  const { uid: root } = await one(gateways).register('root@example.org'); // one account stays admin
  const [{ password_hash: hash }] = await sql<[{ password_hash: string }]>`select password_hash from service.users where uid = ${root}`;
  const accounts: Account[] = Array.from({ length: 5 },
    (_, n) => ({ uid: `person-${n}`, isThere: false, disabled: false, isAdmin: false }));
  const sessions: Session[] = [];
  /** Those who have not been shown to know of the last change. */
  const behind = new Set<Gateway>();
  const wrong: object[] = [];
  let tokens = 0; // no two are alike, so each is looked up
  const done: Record<string, number> = {};

  const send = (
    gateway: Gateway, method: string, path: string, { as, body }: { as?: string | null; body?: object } = {},
  ): Promise<Answer> =>
    gateway.request(path, {
      method, headers: { 'x-forwarded-for': `10.${below(256)}.${below(256)}.${below(256)}` }, ...(as !== undefined && { as }),
      ...(body && { body: JSON.stringify(body) }),
    });

  /** The standing of a caller by its answer: 200 an admin, 403 an account, 401 none. */
  const standing = async (gateway: Gateway, { access }: Session, as = one(access)) =>
    (await send(gateway, 'GET', '/admin/users?limit=1', { as })).status;
  const meant = (session: Session) => !isIn(session) ? 401 : session.account.isAdmin ? 200 : 403;
  const expect = (what: string, found: unknown, expected: unknown, more: object = {}) => {
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push({ what, found, expected, ...more });
  };

  /** Notifications come in the order of their commits: a gateway that no longer takes this token has heard all that was before, or asks. */
  async function heard(gateway: Gateway): Promise<void> {
    if (!behind.delete(gateway)) return;
    const [{ id }] = await sql<[{ id: string }]>`insert into service.sessions (uid, method, expires_at)
      values (${root}, 'password', now() + interval '1 hour') returning id`;
    const as = await tokenFor(root, [], { sid: id });
    await gateway.request('/auth/config', { as });
    expect('a token that was never seen', (await gateway.request('/auth/me', { as })).status, 200);
    await sql`select service_private.end_session(${root}, ${id})`;
    for (let tries = 1; (await gateway.request('/auth/me', { as })).status === 200; tries++) {
      if (tries === 2_000) return void wrong.push({ what: 'a gateway neither hears nor asks' });
      await setTimeout(1);
    }
  }

  /**
   * A request during the change, with a token that is not cached, may get the old or the new answer; from then on, at this gateway, the new
   * one.
   */
  async function changing(by: Gateway | undefined, account: Account, change: () => Promise<unknown>): Promise<void> {
    if (by !== undefined) await heard(by);
    const fresh = await Promise.all(sessions.filter(session => session.account === account).slice(-2).map(async session =>
      ({ session, before: meant(session), token: await tokenFor(account.uid, [], { sid: session.id, jti: String(tokens++) }) })));
    const asked = fresh.map(found => ({ ...found, answer: by && standing(by, found.session, found.token) }));
    await change();
    for (const gateway of gateways) if (gateway !== by) behind.add(gateway);
    for (const { session, before, answer, token } of asked) {
      if (by === undefined) continue;
      const status = await answer;
      if (status !== before && status !== meant(session)) wrong.push({ what: 'while it changed', status, before, after: meant(session) });
      expect('after it changed, with what was asked for meanwhile', await standing(by, session, token), meant(session));
    }
  }

  const transitions: Record<string, (gateway: Gateway) => Promise<void>> = {
    async 'sign in'(gateway) {
      const account = one(accounts);
      const answer = await send(gateway, 'POST', '/auth/login', { as: null, body: { email: emailOf(account), password: PASSWORD } });
      expect('sign in', answer.status, !account.isThere ? 401 : account.disabled ? 403 : 200);
      if (answer.status !== 200) return;
      const { accessToken, refreshToken } = answer.body.tokens;
      sessions.push({
        account, id: decodeJwt<{ sid: string }>(accessToken).sid, access: [accessToken], refresh: refreshToken, isOver: false,
      });
      if (sessions.length > 30) sessions.splice(below(10), 1);
    },
    async refresh(gateway) {
      const session = one(sessions);
      const answer = await send(gateway, 'POST', '/auth/refresh', { as: null, body: { refreshToken: session.refresh } });
      expect('refresh', answer.status, isIn(session) ? 200 : 401);
      if (answer.status !== 200) return;
      session.access = [...session.access.slice(-2), answer.body.tokens.accessToken];
      session.refresh = answer.body.tokens.refreshToken;
    },
    async 'sign out'(gateway) {
      const session = one(sessions);
      await changing(gateway, session.account, async () => {
        expect('sign out',
          (await send(gateway, 'POST', '/auth/logout', { as: null, body: { refreshToken: session.refresh } })).status, 200);
        session.isOver = true;
      });
    },
    async 'end one session'(gateway) {
      const [session, other] = [one(sessions), one(sessions)];
      await changing(gateway, session.account, async () => {
        const mayEnd = isIn(session);
        expect('end one session', (await send(gateway, 'DELETE', `/auth/sessions/${other.id}`, { as: one(session.access) })).status,
          mayEnd ? 200 : 401);
        if (mayEnd && other.account === session.account) other.isOver = true;
      });
    },
    async 'end other sessions'(gateway) {
      const session = one(sessions);
      await changing(gateway, session.account, async () => {
        const mayEnd = isIn(session);
        expect('end other sessions', (await send(gateway, 'DELETE', '/auth/sessions', { as: one(session.access) })).status,
          mayEnd ? 200 : 401);
        for (const other of sessions) if (mayEnd && other.account === session.account && other !== session) other.isOver = true;
      });
    },
    async disable(gateway) {
      const account = one(accounts);
      const disabled = below(2) === 0;
      const path = one(['/admin/users', '/data/users']);
      await changing(gateway, account, async () => {
        expect(`disable at ${path}`,
          (await send(gateway, path === '/admin/users' ? 'PUT' : 'PATCH', `${path}/${account.uid}`, { body: { disabled } })).status,
          account.isThere ? 200 : 404);
        if (account.isThere) account.disabled = disabled;
      });
    },
    async 'give or take a role'(gateway) {
      const account = one(accounts);
      const isAdmin = below(2) === 0;
      const path = one(['/admin/users', '/data/users']);
      await changing(gateway, account, async () => {
        expect(`role at ${path}`, (await send(gateway, path === '/admin/users'
          ? 'PUT'
          : 'PATCH', `${path}/${account.uid}`, { body: { roles: isAdmin ? ['admin'] : [] } })).status, account.isThere ? 200 : 404);
        if (account.isThere) account.isAdmin = isAdmin;
      });
    },
    async 'make or delete'(gateway) {
      const account = one(accounts);
      if (!account.isThere) {
        await sql`select service_private.create_account(${emailOf(account)}, ${hash}, null, '{}', true, ${account.uid})`;
        return void Object.assign(account, { isThere: true, disabled: false, isAdmin: false });
      }
      if (below(3) > 0) return;
      const path = one(['/admin/users', '/data/users']);
      await changing(gateway, account, async () => {
        expect(`delete at ${path}`, (await send(gateway, 'DELETE', `${path}/${account.uid}`)).status, path === '/admin/users' ? 200 : 204);
        account.isThere = false;
        for (const session of sessions) if (session.account === account) session.isOver = true; // also if the uid is given again
      });
    },
    async 'a DBA'() {
      const account = one(accounts);
      await changing(undefined, account, async () => {
        if (below(2) === 0) {
          await sql`select service.end_all_sessions(${account.uid})`;
          for (const session of sessions) if (session.account === account) session.isOver = true;
        } else if (account.isThere) {
          account.disabled = !account.disabled;
          await sql`update users set disabled = ${account.disabled} where id = ${account.uid}`;
        }
      });
    },
    async 'cut the notifications'() {
      await sql.unsafe(DEAFEN);
      for (const gateway of gateways) behind.add(gateway);
    },
    async ask(gateway) {
      await heard(gateway);
      const session = one(sessions);
      expect('ask', await standing(gateway, session), meant(session), { session });
    },
  };
  const names = Object.entries({
    'sign in': 2, refresh: 3, 'sign out': 2, 'end one session': 2, 'end other sessions': 1, disable: 3, 'give or take a role': 3,
    'make or delete': 3, 'a DBA': 3, 'cut the notifications': 1, ask: 12,
  })
    .flatMap(([name, times]) => Array.from({ length: times }, () => name));

  for (const account of accounts) {
    await sql`select service_private.create_account(${emailOf(account)}, ${hash}, null, '{}', true, ${account.uid})`;
    account.isThere = true;
  }
  while (sessions.length < 5) await transitions['sign in']?.(one(gateways));
  for (let n = 0; n < runs(5_000) && wrong.length === 0; n++) {
    const [name, gateway] = [one(names), one(gateways)];
    done[name] = (done[name] ?? 0) + 1;
    await transitions[name]?.(gateway);
    for (const session of sessions.slice(-1 - below(2))) {
      if (!behind.has(gateway)) expect(`after ${name}`, await standing(gateway, session), meant(session), { n });
    }
  }
  t.same(wrong, [], JSON.stringify({ RANDOM_SEED: seed, ...done }));
});
