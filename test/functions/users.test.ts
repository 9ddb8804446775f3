import { test } from 'tap';
import { serveFunctions } from './serve.ts';

const USERS = `
import { defineFunction } from 'rowgate/functions';
export default defineFunction((app, { rowgate: { auth: { users } } }) => {
  app.get('/story', async c => {
    const made = await users.create({ email: 'Grace@Example.org', password: 'Correct horse 7 battery', displayName: 'Grace',
      roles: ['staff'] });
    const { uid } = made.user;
    const refused = await users.create({ email: 'grace@example.org' }).catch(error => [error.name, error.status, error.code]);
    const weak = await users.update(uid, { password: 'short' }).catch(error => [error.status, error.code]);
    const changed = await users.update(uid, { roles: ['admin'], disabled: true });
    const found = await users.get(uid);
    const listed = await users.list({ search: 'grace', limit: 1 });
    const byId = await users.list({ ids: [uid, 'nobody'] });
    const reset = await users.resetPassword(uid, { password: 'Another horse 8 battery' });
    const invited = await users.create({ email: 'invited@example.org', uid: 'of/elsewhere é' });
    const elsewhere = await users.get('of/elsewhere é');
    const gone = [await users.delete(uid), await users.get(uid).catch(error => [error.status, error.code])];
    return c.json({ made, refused, weak, changed, found, listed, byId, reset, invited, elsewhere, gone });
  });
  app.get('/nobody', async c => c.json(await users.get('nobody')));
});`;

test('a function manages accounts by the routes of admins', async t => {
  const { request, mailbox } = await serveFunctions(t, { 'users.ts': USERS });
  const { body } = await request('/functions/users/story', { as: null });
  t.match(body, {
    made: { user: { email: 'grace@example.org', displayName: 'Grace', roles: ['staff'] }, invitationSent: false },
    refused: ['ApiError', 409, /./], weak: [400, /./],
    changed: { user: { roles: ['admin'] } }, found: { user: { roles: ['admin'] } },
    listed: { total: 1, limit: 1, users: [{ email: 'grace@example.org' }] }, byId: { users: [{ email: 'grace@example.org' }] },
    reset: { user: { email: 'grace@example.org' }, invitationSent: false },
    invited: { user: { uid: 'of/elsewhere é' }, invitationSent: true }, elsewhere: { user: { email: 'invited@example.org' } },
    gone: [{ success: true }, [404, 'NOT_FOUND']],
  });
  t.match((await request('/admin/users/of%2Felsewhere%20%C3%A9')).body, body.elsewhere, 'the same as the route');
  t.ok(mailbox !== undefined);
  const route = await request('/admin/users/nobody');
  const uncaught = await request('/functions/users/nobody');
  t.same([uncaught.status, uncaught.body.error.code], [route.status, route.body.error.code]);
});

test('without accounts they are NOT_CONFIGURED', async t => {
  const { request } = await serveFunctions(t, { 'users.ts': USERS }, { SERVICE_AUTH: 'off' });
  t.match(await request('/functions/users/nobody'),
    { status: 503, body: { error: { code: 'NOT_CONFIGURED', details: { setting: 'SERVICE_AUTH' } } } });
});

test('a start that serves functions alone has accounts too', async t => {
  const { request } = await serveFunctions(t, { 'users.ts': USERS }, { SERVICE_ROLE: 'functions' });
  t.match(await request('/functions/users/story'), { status: 200, body: { gone: [{ success: true }, [404, 'NOT_FOUND']] } });
  t.equal((await request('/admin/users')).status, 501);
});
