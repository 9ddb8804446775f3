// Managers of accounts who are no admins: which roles they assign and which accounts they change, at each door.
import { test, type Test } from 'tap';
import { lendAccounts, OPEN, PASSWORD, refusal, type Accounts } from '../accounts/people.ts';
import { settingsFile } from '../accounts/settings-file.ts';
import { SERVICE_KEY, tokenFor, type Answer } from '../harness/service.ts';
import { collections } from '../write/client.ts';

const ROLES = {
  support: { scopes: ['users:read', 'users:write'] },
  auditor: { scopes: ['logs:read'] },
  officer: { scopes: ['logs:read'], assignable: true },
  member: { assignable: true },
  editor: {},
};
const users = {
  slug: 'users', auth: true, disableDefaultPolicies: true, securityRules: [{ access: 'public' }],
  properties: { bio: { type: 'string' }, team: { type: 'relation', relation: { kind: 'belongsTo', target: 'teams' } } },
};
const teams = {
  slug: 'teams', securityRules: [{ access: 'public' }],
  properties: {
    id: { type: 'number', isId: 'increment' },
    members: { type: 'relation', relation: { kind: 'hasMany', target: 'users', foreignKeyOnTarget: 'team_id' } },
  },
};

type Ask = (method: string, path: string, body?: object) => Promise<Answer>;
type Club = Accounts & { keyWith: (scopes: string[], roles?: string[]) => Promise<string>; asking: (as: string) => Ask };

async function club(t: Test): Promise<Club> {
  const service = await lendAccounts(t,
    { ...OPEN, ...settingsFile(t, { roles: ROLES }), SERVICE_COLLECTIONS_DIR: collections(t, users, teams) });
  const asking = (as: string): Ask =>
    (method, path, body) => service.request(path, { method, as, ...(body && { body: JSON.stringify(body) }) });
  const keyWith = async (scopes: string[], roles: string[] = []) =>
    (await asking(SERVICE_KEY)('POST', '/admin/api-keys', { name: 'x', scopes, roles })).body.key.key as string;
  return { ...service, keyWith, asking };
}

const MANAGES = ['users:read', 'users:write', 'data:read', 'data:write', 'data:delete'];

/** [roles of the manager, role given, what is beyond]; nothing is beyond where the answer is a success. */
const ASSIGNED: [held: string[], given: string, beyond?: string][] = [
  [['support'], 'support'],
  [['support'], 'member'],
  [['support'], 'editor', 'editor'],
  [['support', 'editor'], 'editor'],
  [['support'], 'undeclared', 'undeclared'],
  [['support', 'undeclared'], 'undeclared'],
  [['support'], 'auditor', 'logs:read'],
  [['support'], 'officer', 'logs:read'],
  [['support', 'auditor'], 'officer'],
  [['support'], 'admin', 'admin'],
];

test('a person assigns the roles that she has, or that are declared assignable and give no scope that she lacks', async t => {
  const { asking } = await club(t);
  for (const [n, [held, given, beyond]] of ASSIGNED.entries()) {
    const ask = asking(await tokenFor(`manager-${n}`, held));
    const made = await ask('POST', '/admin/users', { email: `made-${n}@example.org`, password: PASSWORD, roles: [given] });
    const { body: { user: plain } } = await ask('POST', '/admin/users', { email: `plain-${n}@example.org`, password: PASSWORD });
    const changed = await ask('PUT', `/admin/users/${plain.uid}`, { roles: [given] });
    const expected = beyond === undefined
      ? [[201, undefined], [200, undefined]]
      : [[403, 'ROLE_EXCEEDS_CALLER'], [403, 'ROLE_EXCEEDS_CALLER']];
    t.same([refusal(made), refusal(changed)], expected, `${held.join('+')} gives ${given}`);
    if (beyond !== undefined) t.same([made, changed].map(({ body }) => body.error.details), [{ beyond: [beyond] }, { beyond: [beyond] }]);
  }
});

/** [roles of the key, role given, what is beyond]. */
const BY_KEY: [roles: string[], given: string, beyond?: string][] = [
  [['admin'], 'member'],
  [['admin'], 'admin', 'admin'],
  [['admin'], 'support', 'support'],
  [['admin'], 'editor', 'editor'],
  [['admin', 'editor'], 'editor'],
  [['admin', 'auditor'], 'auditor', 'logs:read'],
];

test('a key assigns roles by its scopes, not by its roles, on every route', async t => {
  const { asking, keyWith, sql } = await club(t);
  const service = asking(SERVICE_KEY);
  await service('POST', '/data/teams', {});
  for (const [n, [roles, given, beyond]] of BY_KEY.entries()) {
    const ask = asking(await keyWith(MANAGES, roles));
    const uid = (await service('POST', '/admin/users', { email: `target-${n}@example.org` })).body.user.uid as string;
    const fresh = (door: string) => ({ email: `${door}-${n}@example.org`, roles: [given] });
    const doors: Record<string, () => Promise<Answer>> = {
      'POST /admin/users': () => ask('POST', '/admin/users', fresh('admin')),
      'PUT /admin/users': () => ask('PUT', `/admin/users/${uid}`, { roles: [given] }),
      'POST /data/users': () => ask('POST', '/data/users', fresh('post')),
      'PATCH /data/users': () => ask('PATCH', `/data/users/${uid}`, { roles: [given] }),
      'upsert, new': () => ask('POST', '/data/users?on_conflict=id', { id: `new-${n}`, ...fresh('upsert') }),
      'upsert, stored': () => ask('POST', '/data/users?on_conflict=id', { id: uid, email: `target-${n}@example.org`, roles: [given] }),
      'bulk create': () => ask('POST', '/data/users/bulk', { rows: [fresh('bulk')] }),
      'bulk update': () => ask('PATCH', '/data/users/bulk', { updates: [{ id: uid, roles: [given] }] }),
      'batch create': () => ask('POST', '/data/_batch', { operations: [{ op: 'create', collection: 'users', values: fresh('batch') }] }),
      'batch update': () =>
        ask('POST', '/data/_batch', { operations: [{ op: 'update', collection: 'users', id: uid, values: { roles: [given] } }] }),
      'nested create': () => ask('POST', '/data/teams/1/members', fresh('nested')),
    };
    for (const [door, open] of Object.entries(doors)) {
      await sql`update service.users set roles = '{}' where uid = ${uid}`;
      const { status, body } = await open();
      const told = beyond === undefined ? status < 300 : [status, body.error?.code, body.error?.details?.beyond];
      t.same(told, beyond === undefined ? true : [403, 'ROLE_EXCEEDS_CALLER', [beyond]], `${roles.join('+')} gives ${given}: ${door}`);
    }
    if (beyond !== undefined) t.same(await sql`select from service.users where ${given} = any (roles)`, [], `nobody has ${given}`);
  }
});

test('a key changes no account that holds more, nor any without users:write', async t => {
  const { asking, keyWith, sql } = await club(t);
  const service = asking(SERVICE_KEY);
  for (const [uid, roles] of [['boss', ['admin']], ['eve', ['editor']], ['pat', ['member']], ['mem', ['member']]] as const) {
    await service('POST', '/admin/users', { uid, email: `${uid}@example.org`, roles });
  }
  await service('POST', '/admin/users', { uid: 'other', email: 'other@example.org', roles: ['admin'] });
  await service('POST', '/data/teams', {});
  const manager = asking(await keyWith(MANAGES, ['admin']));
  const writer = asking(await keyWith(['data:read', 'data:write', 'data:delete'], ['admin']));
  const attempts: [method: string, path: (uid: string) => string, body?: (uid: string) => object][] = [
    ['PATCH', uid => `/data/users/${uid}`, () => ({ email: 'mine@example.net' })],
    ['PATCH', uid => `/data/users/${uid}`, () => ({ disabled: true })],
    ['PATCH', uid => `/data/users/${uid}`, () => ({ roles: [] })],
    ['PATCH', () => '/data/users/bulk', uid => ({ updates: [{ id: uid, displayName: 'x' }] })],
    ['POST', () => '/data/users?on_conflict=id', uid => ({ id: uid, email: 'mine@example.net' })],
    ['DELETE', uid => `/data/users/${uid}`],
    ['POST', () => '/data/users/bulk/delete', uid => ({ ids: [uid] })],
    ['POST', () => '/data/_batch', uid => ({ operations: [{ op: 'delete', collection: 'users', id: uid }] })],
  ];
  const before = await sql`select uid, email, roles, disabled from service.users order by uid`;
  for (const [method, path, body = () => undefined] of attempts) {
    for (const uid of ['boss', 'eve']) {
      const name = `${method} ${path(uid)} ${JSON.stringify(body(uid) ?? {})}`;
      t.same(refusal(await manager(method, path(uid), body(uid))), [403, 'ACCOUNT_OUTRANKS_CALLER'], name);
    }
    const lacking = await writer(method, path('pat'), body('pat'));
    t.same([...refusal(lacking), lacking.body.error?.details?.requiredScope], [403, 'API_KEY_FORBIDDEN', 'users:write'],
      `without users:write: ${method} ${path('pat')}`);
  }
  t.same(refusal(await writer('POST', '/data/users', { email: 'new@example.org' })), [403, 'API_KEY_FORBIDDEN']);
  t.same(await sql`select uid, email, roles, disabled from service.users order by uid`, before);

  t.equal((await writer('PATCH', '/data/users/boss', { bio: 'x', team: 1 })).status, 200, 'fields of the row alone are data');
  t.equal((await manager('PATCH', '/data/users/mem', { displayName: 'M' })).status, 200);
  t.equal((await manager('PATCH', '/data/users/pat', { roles: ['member'], email: 'pat@example.net' })).status, 200);
  t.equal((await manager('DELETE', '/data/users/pat')).status, 204);
});

test('the role admin of a key opens no admin account on the account routes', async t => {
  const { asking, keyWith } = await club(t);
  await asking(SERVICE_KEY)('POST', '/admin/users', { uid: 'boss', email: 'boss@example.org', roles: ['admin'] });
  const ask = asking(await keyWith(['users:read', 'users:write'], ['admin']));
  const attempts: [method: string, path: string, body?: object][] = [
    ['PUT', '/admin/users/boss', { email: 'mine@example.net' }], ['PUT', '/admin/users/boss', { password: PASSWORD }],
    ['PUT', '/admin/users/boss', { disabled: true }], ['POST', '/admin/users/boss/reset-password', {}],
    ['POST', '/admin/users/boss/reset-password', { password: PASSWORD }], ['DELETE', '/admin/users/boss'],
  ];
  for (const [method, path, body] of attempts) {
    t.same(refusal(await ask(method, path, body)), [403, 'ACCOUNT_OUTRANKS_CALLER'], `${method} ${path} ${JSON.stringify(body)}`);
  }
});
