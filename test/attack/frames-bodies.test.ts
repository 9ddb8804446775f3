// Each text of each JSON body, and each name in it, replaced by text that no PostgreSQL can hold, or that is far too long.
import { test } from 'tap';
import { OPEN, lendAccounts } from '../accounts/people.ts';
import { collections } from '../write/client.ts';
import { spoiled } from './texts.ts';

const AT_ONCE = 16;

const id = { type: 'number', isId: 'increment' };
const USERS = { slug: 'users', auth: true, properties: { bio: { type: 'string' } } };
const NOTES = {
  slug: 'notes', history: true, softDelete: true, securityRules: [{ access: 'public' }], properties: {
    id, title: { type: 'string', validation: { unique: true, matches: '^[a-zx]*$' } },
    words: { type: 'array', of: { type: 'string' }, validation: { max: 5 } }, data: { type: 'map', keyValue: true }, at: { type: 'date' },
    n: { type: 'number' }, deletedAt: { type: 'date' }, author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
    topics: { type: 'relation', relation: { kind: 'manyToMany', target: 'topics' } },
  },
};
const TOPICS = { slug: 'topics', securityRules: [{ access: 'public' }], properties: { id, name: { type: 'string' } } };
const NOTE = { title: 'a', words: ['b'], data: { c: 'd', e: ['f'] }, at: '2026-01-01', n: '1', author: 'u', topics: ['1', { id: '1' }] };

/** Bodies with every member that holds text. By: the service key, a person, or no credential. */
const BODIES: [by: 'service' | 'person' | 'nobody', method: string, path: string, ...bodies: object[]][] = [
  ['service', 'POST', '/data/notes', NOTE],
  ['service', 'POST', '/data/notes?on_conflict=title', NOTE],
  [
    'service', 'PATCH', '/data/notes/1', NOTE, { words: { $push: 'w' }, data: { $merge: { x: 'y' } }, n: { $inc: '1' } },
    { words: { $pull: ['w'] } },
  ],
  [
    'service', 'POST', '/data/notes/bulk', { rows: [NOTE] }, { items: [NOTE], upsert: true, onConflict: ['title'] },
    { rows: [NOTE], upsert: 'true', on_conflict: 'title' },
  ],
  ['service', 'PATCH', '/data/notes/bulk', { updates: [{ id: '1', data: NOTE }] }, { updates: [{ id: '1', ...NOTE }] }],
  ['service', 'POST', '/data/notes/bulk/delete', { ids: ['7', { id: '8' }] }],
  ['service', 'POST', '/data/_batch', { operations: [{ op: 'create', collection: 'topics', values: { name: 'n' }, ref: 'r' },
    { op: 'upsert', collection: 'notes', values: { title: { $ref: 'r.name' }, words: [{ $ref: 'r.name' }] }, onConflict: ['title'] },
    { op: 'update', collection: 'notes', id: '1', values: { title: 'x' } }, { op: 'delete', collection: 'notes', id: '7' }] }],
  ['service', 'POST', '/data/notes/1/topics', { name: 'n' }],
  ['service', 'PATCH', '/data/notes/1/topics/1', { name: 'n' }, { _pivot: { x: 'y' } }],
  ['service', 'POST', '/data/users', {
    id: 'u', email: 'u@example.org', displayName: 'U', photoURL: 'https://example.org/u', roles: ['editor'], metadata: { a: 'b' }, bio: 'c',
  }],
  ['service', 'POST', '/admin/users', {
    uid: 'u', email: 'u@example.org', password: 'Correct-horse-1', displayName: 'U', photoUrl: 'https://example.org/u',
    metadata: { a: 'b' }, roles: ['editor'],
  }],
  ['service', 'PUT', '/admin/users/u', { email: 'u@example.org', password: 'Correct-horse-1', displayName: 'U', roles: ['editor'] }],
  ['service', 'POST', '/admin/users/u/reset-password', { password: 'Correct-horse-1' }],
  ['service', 'POST', '/admin/api-keys', { name: 'k', scopes: ['data:read:notes'], roles: ['editor'], expires_at: '2090-01-01T00:00:00Z' },
    { name: 'k', permissions: [{ collection: 'notes', operations: ['read'] }] }],
  ['nobody', 'POST', '/auth/register', { email: 'n@example.org', password: 'Correct-horse-1', displayName: 'N' }],
  ['nobody', 'POST', '/auth/login', { email: 'n@example.org', password: 'Correct-horse-1' }],
  ['nobody', 'POST', '/auth/refresh', { refreshToken: 'x' }],
  ['nobody', 'POST', '/auth/logout', { refreshToken: 'x' }],
  ['nobody', 'POST', '/auth/forgot-password', { email: 'n@example.org' }],
  ['nobody', 'POST', '/auth/magic-link', { email: 'n@example.org' }],
  ['nobody', 'POST', '/auth/magic-link/verify', { token: 'x' }],
  ['nobody', 'POST', '/auth/otp', { email: 'n@example.org' }],
  ['nobody', 'POST', '/auth/otp/verify', { email: 'n@example.org', code: '123456' }],
  ['nobody', 'POST', '/auth/reset-password', { token: 'x', password: 'Correct-horse-1' }],
  ['nobody', 'POST', '/auth/verify-email', { token: 'x', password: 'Correct-horse-1' }],
  ['nobody', 'POST', '/auth/confirm-email-change', { token: 'x' }],
  ['person', 'POST', '/auth/change-email', { newEmail: 'm@example.org' }],
  ['person', 'PATCH', '/auth/me', { displayName: 'P', photoURL: 'https://example.org/p' }],
  ['person', 'POST', '/auth/find-user', { email: 'n@example.org' }],
  ['person', 'POST', '/auth/mfa/enroll', { friendlyName: 'f', issuer: 'i' }],
  ['person', 'POST', '/auth/mfa/verify', { factorId: 'x', code: '123456' }],
  ['person', 'POST', '/auth/mfa/challenge', { factorId: 'x' }],
  ['person', 'POST', '/auth/mfa/challenge/verify', { challengeId: 'x', code: '123456' }],
  ['person', 'DELETE', '/auth/mfa/unenroll', { factorId: 'x' }],
  ['person', 'POST', '/auth/anonymous/link', { email: 'm@example.org', password: 'Correct-horse-1' }],
  ['person', 'POST', '/auth/change-password', { oldPassword: 'Wrong-horse-1', newPassword: 'Other-horse-1' }],
];

test('no text in a body is an error of the service', async t => {
  const { request, register, sql } = await lendAccounts(t, {
    ...OPEN, ALLOW_ANONYMOUS: 'true', AUTH_ALLOW_USER_LOOKUP: 'true', TRUSTED_PROXY_HOPS: '1',
    SERVICE_COLLECTIONS_DIR: collections(t, USERS, NOTES, TOPICS),
  });
  await sql.unsafe(`insert into topics (name) values ('t'); insert into notes (title, words) values ('z', '{}')`).simple();
  await register('boss@example.org');
  const { access } = await register('person@example.org');
  const as = { service: undefined, person: access, nobody: null };
  let sent = 0;
  const waiting: (() => Promise<void>)[] = [];
  for (const [by, method, path, ...bodies] of BODIES) {
    const faults: string[] = [];
    for (const { value, about } of bodies.flatMap(spoiled)) waiting.push(async () => {
      sent++;
      const headers = { 'x-forwarded-for': `10.${sent >> 16 & 255}.${sent >> 8 & 255}.${sent & 255}` }; // limits are for each address
      const of = as[by];
      const { status, body } = await request(path, { method, headers, body: JSON.stringify(value), ...(of !== undefined && { as: of }) });
      if (status >= 500) faults.push(`${about}: ${status} ${body?.error?.code}`);
    });
    while (waiting.length > 0) await Promise.all(waiting.splice(0, AT_ONCE).map(ask => ask()));
    t.same(faults, [], `${method} ${path}`);
  }
});
