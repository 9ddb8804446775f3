import { test } from 'tap';
import { serveAsked } from './asked.ts';

const SETUP = `
  create schema app; grant usage on schema app to service_user;
  create table app.told (n integer generated always as identity, handler text, event jsonb, who text);
  grant insert on app.told to service_user;
  create function app.tell(event jsonb) returns void language sql as $$ insert into app.told (handler, event, who)
  values ('tell', event, current_user || ' ' || service.uid()) $$;
  create function app.fail(event jsonb) returns void language plpgsql as $$ begin insert into app.told (handler) values ('fail');
  raise exception 'The mailing list is away.'; end $$;`;

test('functions are notified of files as the caller, and their failures are only logged', async t => {
  const { tell, logged, sql } = await serveAsked(t, { triggers: [
    { path: 'posts/:id/**', events: ['finalize'], handler: 'app.tell' },
    { path: '**', events: ['finalize', 'delete'], handler: 'app.fail' },
    { path: 'posts/*/a', events: ['delete'], handler: 'app.tell' },
  ] }, { setup: SETUP });
  const told = async () => (await sql`delete from app.told returning handler, event, who, n`).sort((a, b) => a['n'] - b['n'])
    .map(({ handler, event, who }) => ({ handler, event, who }));
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
  await tell('ada:editor', { event: 'finalize', key: 'posts/7/a', size: 3, contentType: 'text/plain', storageId: '(default)' });
  t.match(await told(), [{ handler: 'tell', who: 'service_user ada', event: {
    event: 'finalize', key: 'posts/7/a', params: { id: '7' }, bucket: 'default', storageId: '(default)', size: 3, contentType: 'text/plain',
    user: { uid: 'ada', roles: ['editor'] }, at } }]);
  t.match(logged.splice(0),
    [{ level: 50, handler: 'app.fail', dbCode: 'P0001', message: 'The mailing list is away.', event: 'finalize', key: 'posts/7/a' }]);
  await tell(null, { event: 'delete', key: 'posts/7/a', bucket: 'other' });
  t.match(await told(), [{ who: 'service_user anonymous', event: { event: 'delete', params: {}, bucket: 'other', user: null, at } }]);
  await tell('service', { event: 'finalize', key: 'posts/7/a', user: { uid: 'ada' } });
  t.match(await told(), [{ who: 'service_user service', event: { user: { uid: 'ada' } } }], 'whoever ends another\'s upload');
  logged.length = 0;
  await sql`drop function app.tell`;
  await tell('ada', { event: 'finalize', key: 'posts/7/a' });
  t.match(logged, [{ handler: 'app.tell', dbCode: '42883' }, { handler: 'app.fail' }]);
});
