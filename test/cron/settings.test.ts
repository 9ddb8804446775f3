import { test } from 'tap';
import { readConfig } from '../../gateway/features/config.ts';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';
import { cronFile } from './cron.ts';

const FUNCTIONS = `
  create schema app;
  grant usage on schema app to service_user;
  create schema hidden;
  create function app.nightly(job jsonb) returns jsonb language sql as 'select job';
  create function app.text(job jsonb) returns text language sql as 'select ''yes''';
  create function app.several(job jsonb) returns setof jsonb language sql as 'select job';
  create function app.closed(job jsonb) returns jsonb language sql as 'select job';
  revoke all on function app.closed(jsonb) from public;
  create function hidden.away(job jsonb) returns jsonb language sql as 'select job'`;
const good = { function: 'app.nightly', name: 'Nightly', schedule: '30 2 * * *' };

test('the form of scheduled jobs in the settings file', t => {
  const problems = (crons: object): string => {
    try {
      readConfig(cronFile(t, crons));
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const seconds = { timeoutSeconds: 0.5, catchUpWindowSeconds: 3_600 };
  const whole = { ...good, timezone: 'Europe/Berlin', description: 'why', enabled: false, ...seconds };
  t.equal(problems({}), '');
  t.equal(problems({ 'a.b/c d': whole, 'services': good }), '');
  t.equal(problems({ nightly: { schedule: '* * * * *', enabled: false } }), '', 'without a function it changes a file');
  for (const key of Object.keys(good)) {
    t.equal(problems({ nightly: { ...good, [key]: undefined } }), key === 'function' ? '' : `rowgate.json: crons.nightly: lacks ${key}`);
    t.match(problems({ nightly: { ...good, [key]: 5 } }), `rowgate.json: crons.nightly.${key}: must be`);
    t.match(problems({ nightly: { ...good, [key]: '' } }), `rowgate.json: crons.nightly.${key}: must`);
  }
  for (const timeoutSeconds of [0, -1, null, '300', 2_000_001]) {
    t.equal(problems({ nightly: { ...good, timeoutSeconds } }),
      'rowgate.json: crons.nightly.timeoutSeconds: must be a number of seconds above 0, at most 2000000', String(timeoutSeconds));
  }
  for (const catchUpWindowSeconds of [0, -1, true, 31_536_001]) {
    t.match(problems({ nightly: { ...good, catchUpWindowSeconds } }), 'crons.nightly.catchUpWindowSeconds: must be a number');
  }
  t.match(problems({ nightly: { ...good, enabled: 'yes' } }), 'crons.nightly.enabled: must be a boolean');
  t.match(problems({ nightly: { ...good, function: 'a b' } }), 'crons.nightly.function: must be the name of a function');
  t.match(problems({ nightly: { ...good, shedule: '* * * * *' } }), 'crons.nightly.shedule: unknown key');
  t.match(problems([good]), 'crons: must be an object');
  t.equal(problems({ 'service.x': good, '': good, ['x'.repeat(256)]: good }), [
    'rowgate.json: crons.service.x: ids that begin with service. are the service\'s own',
    'rowgate.json: crons.: an id has 1 to 255 characters',
    `rowgate.json: crons.${'x'.repeat(50)}: an id has 1 to 255 characters`,
  ].join('\n'), 'all at once');
  t.end();
});

test('schedules, zones and functions that cannot be used stop the start, all named at once', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(FUNCTIONS).simple();
  const started = async (crons: object) => {
    const service = await openService(url, cronFile(t, crons));
    await service.close();
    return (await sql<{ id: string; state: string }[]>`select id, state from service.cron_jobs`).map(({ id, state }) => `${id} ${state}`);
  };
  await t.rejects(started({
    six: { ...good, schedule: '* * * * * *' }, minute: { ...good, schedule: '61 3 * * *' }, zone: { ...good, timezone: 'Mars/Olympus' },
    posix: { ...good, timezone: 'FOO3' }, text: { ...good, function: 'app.text' }, several: { ...good, function: 'app.several' },
    closed: { ...good, function: 'app.closed' }, away: { ...good, function: 'hidden.away' }, good,
    worst: { ...good, schedule: 'daily', timezone: 'PST', function: 'missing' },
  }), {
    name: 'BootError',
    message: new RegExp([
      'crons\\.away\\.function of the settings file: service_user may not call hidden\\.away\\(jsonb\\)\\.',
      'crons\\.closed\\.function of the settings file: service_user may not call app\\.closed\\(jsonb\\)\\.',
      'crons\\.minute\\.schedule of the settings file: \'61\' is no minute of a schedule: .*\\.',
      'crons\\.posix\\.timezone of the settings file: There is no time zone \'FOO3\'\\.',
      'crons\\.several\\.function of the settings file: there is no function app\\.several\\(jsonb\\) returns jsonb\\.',
      'crons\\.six\\.schedule of the settings file: A schedule has five fields: .*\\.',
      'crons\\.text\\.function of the settings file: there is no function app\\.text\\(jsonb\\) returns jsonb\\.',
      'crons\\.worst\\.schedule of the settings file: A schedule has five fields: .*\\.',
      'crons\\.worst\\.timezone of the settings file: There is no time zone \'PST\'\\.',
      'crons\\.worst\\.function of the settings file: there is no function missing\\(jsonb\\) returns jsonb\\.',
      'crons\\.zone\\.timezone of the settings file: There is no time zone \'Mars/Olympus\'\\.',
    ].join('\n')),
  });
  t.same(await started({ nightly: good, never: { ...good, schedule: '0 0 31 2 *' } }), ['never error', 'nightly idle'],
    'a date that does not exist is no problem of the start');
  t.same(await started({ nightly: { ...good, enabled: false } }), ['nightly disabled'], 'a job that is gone from the file is gone');
  t.same(await started({}), []);
});
