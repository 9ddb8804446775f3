// Roles of the settings file: what they let their holders manage, and what they do not.
import { test } from 'tap';
import { readConfig } from '../../gateway/features/config.ts';
import { tokenFor } from '../harness/service.ts';
import { OPEN, PASSWORD, refusal, lendAccounts } from './people.ts';
import { settingsFile } from './settings-file.ts';

const AUTH = {
  scopes: { 'project:deploy': { label: 'Deploy', description: 'A release', target: 'stage' } },
  roles: {
    support: { name: 'Support', description: 'Helps people', scopes: ['users:read', 'users:write'] },
    operator: { scopes: ['logs:read', 'keys:read', 'keys:write', 'project:deploy:test'] },
    editor: { assignable: true },
    author: {},
  },
};

test('managers of accounts manage only those with no more rights', async t => {
  const { request } = await lendAccounts(t, { ...OPEN, ...settingsFile(t, AUTH) });
  const as = async (role: string) => tokenFor(role, [role]);
  const ask = async (role: string, method: string, path: string, body?: object) =>
    request(`/admin${path}`, { method, as: await as(role), ...(body && { body: JSON.stringify(body) }) });
  const roles = (await ask('support', 'GET', '/roles')).body.roles;
  t.match(roles[0], { id: 'admin', name: 'Admin', builtIn: true });
  t.ok(roles[0].scopes.includes('project:deploy'));
  t.same(roles.slice(1), [{ id: 'support', ...AUTH.roles.support, builtIn: false },
    { id: 'operator', name: 'operator', scopes: AUTH.roles.operator.scopes, builtIn: false },
    { id: 'editor', name: 'editor', scopes: [], assignable: true, builtIn: false },
    { id: 'author', name: 'author', scopes: [], builtIn: false }]);
  t.same((await ask('nobody', 'GET', '/users')).body.error.details, { requiredScope: 'users:read' });
  t.same(refusal(await ask('operator', 'GET', '/users')), [403, 'FORBIDDEN']);
  t.same(refusal(await ask('support', 'GET', '/rls-audit')), [403, 'FORBIDDEN'], 'no admin');

  const made = await ask('support', 'POST', '/users', { email: 'ada@example.org', password: PASSWORD, roles: ['editor', 'support'] });
  t.equal(made.status, 201, 'roles that give no more than one has');
  const beyond: [roles: string[], beyond: string[]][] = [
    [['admin'], ['admin']], [['operator'], ['keys:read', 'keys:write', 'logs:read', 'project:deploy:test']], [['billing'], ['billing']],
    [['author'], ['author']], [['editor', 'toString'], ['toString']],
  ];
  for (const [given, lacks] of beyond) {
    for (const [method, path] of [['POST', '/users'], ['PUT', `/users/${made.body.user.uid}`]] as const) {
      const answer = await ask('support', method, path, { email: `${given[0]}@example.org`, password: PASSWORD, roles: given });
      t.match({ status: answer.status, ...answer.body.error }, { status: 403, code: 'ROLE_EXCEEDS_CALLER', details: { beyond: lacks } },
        `${method} ${given.join()}`);
    }
  }
  t.equal((await ask('support', 'PUT', `/users/${made.body.user.uid}`, { displayName: 'Ada', roles: ['editor'] })).status, 200);

  for (const role of ['admin', 'operator', 'billing', 'author']) {
    await request('/auth/me', { as: await as(role) });
    for (const [method, path, body] of [['PUT', `/users/${role}`, { disabled: true }], ['PUT', `/users/${role}`, { roles: [] }],
      ['DELETE', `/users/${role}`],
      ['POST', `/users/${role}/reset-password`, {}], ['POST', `/users/${role}/reset-password`, { password: PASSWORD }]] as const) {
      const answer = await ask('support', method, path, body);
      t.same([...refusal(answer), answer.body.error?.details?.beyond?.length > 0], [403, 'ACCOUNT_OUTRANKS_CALLER', true],
        `${role}: ${method} ${path} ${JSON.stringify(body)}`);
    }
    t.equal((await ask('support', 'GET', `/users/${role}`)).status, 200, 'seeing is not touching');
  }
  t.equal((await ask('admin', 'DELETE', '/users/billing')).status, 200);
  t.equal((await ask('support', 'DELETE', `/users/${made.body.user.uid}`)).status, 200);
  t.same(refusal(await ask('support', 'DELETE', '/users/support')), [400, 'SELF_DELETE']);
});

test('a role that makes keys gives them what it has', async t => {
  const { request } = await lendAccounts(t, { ...OPEN, ...settingsFile(t, AUTH) });
  const operator = await tokenFor('operator', ['operator', 'night']);
  const make = (body: object, as = operator) =>
    request('/admin/api-keys', { method: 'POST', as, body: JSON.stringify({ name: 'x', ...body }) });
  t.equal((await make({ scopes: ['data:read', 'logs:read', 'project:deploy'], roles: ['night'] })).status, 201,
    'people have the scopes of the project anyway');
  const cases: [body: object, code: string, beyond: string[]][] = [
    [{ scopes: ['data:read', 'users:read'] }, 'SCOPE_EXCEEDS_CREATOR', ['users:read']],
    [{ scopes: ['data:read'], roles: ['night', 'admin'] }, 'ROLE_EXCEEDS_CREATOR', ['admin']],
  ];
  for (const [body, code, beyond] of cases) {
    const answer = await make(body);
    t.match({ status: answer.status, ...answer.body.error }, { status: 403, code, details: { beyond } });
  }
  const { key } = (await make({ scopes: ['users:read'], roles: ['admin'] }, await tokenFor('boss', ['admin']))).body;
  t.same(refusal(await request(`/admin/api-keys/${key.id}`, { method: 'PUT', as: operator, body: '{"name": "mine"}' })),
    [403, 'SCOPE_EXCEEDS_CREATOR'], 'nor changes one that has more');
  t.equal((await request(`/admin/api-keys/${key.id}`, { method: 'DELETE', as: operator })).status, 200, 'ending one gives nobody anything');
  const { body: { held } } = await request('/auth/scopes', { as: operator });
  t.ok(['project:deploy', 'logs:read', 'keys:write'].every(scope => held.includes(scope)));
  t.notOk(held.includes('users:read'));
});

test('a key with users:write is outranked like anybody', async t => {
  const { request } = await lendAccounts(t, { ...OPEN, ...settingsFile(t, AUTH) });
  const keyWith = async (body: object) =>
    (await request('/admin/api-keys', { method: 'POST', body: JSON.stringify({ name: 'x', ...body }) })).body.key.key;
  const make = (as: string, roles: string[]) => request('/admin/users',
    { method: 'POST', as, body: JSON.stringify({ email: `${roles.join('-')}@example.org`, password: PASSWORD, roles }) });
  const key = await keyWith({ scopes: ['users:read', 'users:write'] });
  t.equal((await make(key, ['editor'])).status, 201, 'a role that is declared assignable');
  t.same(refusal(await make(key, ['support'])), [403, 'ROLE_EXCEEDS_CALLER'], 'a role that it lacks, though its scopes are no more');
  t.same(refusal(await make(key, ['operator'])), [403, 'ROLE_EXCEEDS_CALLER']);
  t.same(refusal(await make(key, ['admin'])), [403, 'ROLE_EXCEEDS_CALLER']);
  t.same(refusal(await make(await keyWith({ scopes: ['users:write'], roles: ['admin'] }), ['admin'])), [403, 'ROLE_EXCEEDS_CALLER'],
    'its role admin opens rows only');
});

test('roles and scopes that cannot be stop the start', t => {
  const problemsOf = (auth: object, env = {}) => {
    try {
      readConfig({ NODE_ENV: 'test', ...settingsFile(t, auth), ...env });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const cases: [auth: object, problem: RegExp][] = [
    [{ scopes: { 'users:ban': {} } }, /auth\.scopes\.users:ban: scopes of users are the service's own/],
    [{ scopes: { 'Deploy it': {} } }, /auth\.scopes\.Deploy it: must be a name such as project:deploy/],
    [{ roles: { admin: { scopes: [] } } }, /auth\.roles\.admin: this role is the service's own/],
    [{ roles: { 'a,b': {} } }, /auth\.roles\.a,b: must be a name without commas/],
    [
      { roles: { support: { scopes: ['users:raed'] } } },
      /auth\.roles\.support\.scopes\[0\]: there is no scope users:raed.*Did you mean users:read\?/,
    ],
    [{ roles: { support: { scopes: ['data:read'] } } }, /what people may do anyway/],
    [
      { roles: { support: { scopes: ['project:deploy:test'] } }, scopes: { 'project:deploy': {} } },
      /there is no scope project:deploy:test/,
    ],
  ];
  for (const [auth, problem] of cases) t.match(problemsOf(auth), problem, JSON.stringify(auth));
  t.match(problemsOf(AUTH, { AUTH_DEFAULT_ROLE: 'support' }),
    /AUTH_DEFAULT_ROLE: the role support has users:read, users:write, which is not for everybody/);
  t.equal(problemsOf(AUTH, { AUTH_DEFAULT_ROLE: 'editor' }), '');
  t.end();
});
