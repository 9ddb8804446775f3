// Requests to the routes of scheduled jobs, drawn at random: none is a 500, none shows SQL.
import { pino } from 'pino';
import { test } from 'tap';
import { oddRequest } from '../attack/odd-requests.ts';
import { send } from '../attack/whole-service.ts';
import { createDatabase } from '../harness/database.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { openService, SERVICE_KEY, tokenFor } from '../harness/service.ts';
import { cronFile } from './cron.ts';

const FUNCTIONS = `
  create schema app;
  grant usage on schema app to service_user;
  create function app.quick(job jsonb) returns jsonb language sql as 'select job';
  create function app.broken(job jsonb) returns jsonb language sql as 'select to_jsonb(1 / 0)'`;
const quick = { function: 'app.quick', name: 'Quick', schedule: '0 0 1 1 *' };
const CRONS = {
  'a': quick, '1': quick, 'me': quick, '__proto__x': quick, ['x'.repeat(255)]: quick, 'broken': { ...quick, function: 'app.broken' },
};
const BODIES = ['{"enabled":true}', '{"enabled":false}', '{"enabled":null}', '{"enabled":"x"}', '{"enabled":{}}', '{"enabled":true,"a":1}'];
const LIMITS = ['0', '1', '1000', '1001', 'x', '', '-1', '1.5', '1e2', '9'.repeat(400), '%00', '%ff', '%31', '1&limit=2', '1&x=1'];

test(`no request to a route of scheduled jobs is a 500 (RANDOM_SEED=${seed})`, async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(FUNCTIONS).simple();
  const failures: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => { failures.push(line); } });
  const service = await openService(url, { ...cronFile(t, CRONS), SERVICE_MAX_BODY_SIZE: '400000' }, url, log);
  t.teardown(service.close);
  const [admin, person] = [await tokenFor('root', ['admin']), await tokenFor('u1')];
  await service.account(admin);
  await service.account(person);
  const credentials = ['', ...[SERVICE_KEY, SERVICE_KEY, admin, person, 'wrong'].map(token => `Bearer ${token}`)];
  const asking = { basePath: '/api', credentials, required: [], known: Object.keys(CRONS).map(encodeURIComponent) };
  const routes = service.routes.filter(({ path }) => /^(\/admin)?\/cron/.test(path));
  t.equal(routes.length, 10);
  const faults: string[] = [];
  const seen = new Set<number>();
  const times = runs(400);
  await Promise.all(routes.map(async (route, row) => {
    for (let n = 0; n < times; n++) {
      const draw = generator(seed + row * 10_007 + n);
      const drawn = oddRequest(draw, route, asking);
      const own = { ...drawn };
      if (drawn.method === 'PUT' && draw(2) === 0) own.body = Buffer.from(BODIES[draw(BODIES.length)] ?? '');
      const isLimited = route.path.endsWith('/logs') && draw(2) === 0;
      if (isLimited) own.path = `${drawn.path.split('?')[0] ?? ''}?limit=${LIMITS[draw(LIMITS.length)] ?? ''}`;
      const { status, text } = await send(service.address, own);
      seen.add(status);
      if (status === 500 || /\bselect\b.*\bfrom\b|service_private|division/i.test(text)) {
        const sent = `${own.method} ${own.path.slice(0, 200)} ${own.body?.toString('latin1').slice(0, 200) ?? ''}`;
        faults.push(`${sent} → ${status} ${text.slice(0, 300)}`);
      }
    }
  }));
  t.same(faults, []);
  t.same(failures, [], 'the log has no error');
  for (const status of [200, 400, 401, 403, 404]) t.ok(seen.has(status), `some are ${status}`);
  t.equal((await service.request('/admin/cron')).status, 200);
});
