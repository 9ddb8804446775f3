import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
import { LOCK } from '../../gateway/features/backups/backup.ts';
import { createDatabase } from '../harness/database.ts';
import { openService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { ANOTHER, backup, dumpIn, filesIn, folder, programs, script, skip } from './backups.ts';

const UNDER_WAY = { status: 409, body: { error: { code: 'CRON_JOB_ALREADY_EXECUTING', message: 'A run of this job is under way.' } } };

test('while a gateway backs up, others and the command say that a backup is under way', { skip }, async t => {
  const { url, to, held, open } = await gatewaysOf(t);
  const [one, other] = [await open({ PG_DUMP_PATH: held.path }), await open()];
  const running = one.trigger();
  await until('its pg_dump runs', held.isRunning);
  t.match(await other.trigger(), UNDER_WAY);
  t.match(await one.trigger(), UNDER_WAY, 'at the gateway itself');
  t.match(await backup(t, url, to), { code: 1, stderr: `${ANOTHER}\n` });
  held.release();
  const { body } = await running;
  t.match(body, { log: { success: true } });
  t.equal(filesIn(to).length, 2, 'one dump and its roles');
  t.match(body.log.result, { key: dumpIn(to) });
  t.match(await other.trigger(), { status: 200, body: { log: { success: true } } }, 'the next one, elsewhere');
});

test('while the command backs up, a gateway\'s job fails and says why', { skip }, async t => {
  const { url, to, held, open } = await gatewaysOf(t);
  const gateways = [await open(), await open()];
  const running = backup(t, url, to, { PG_DUMP_PATH: held.path });
  await until('its pg_dump runs', held.isRunning);
  for (const { trigger, schedule } of gateways) {
    t.match(await trigger(), { status: 200, body: { log: { success: false, error: ANOTHER } } });
    t.match(await schedule(), { lastRun: { success: false, error: ANOTHER } });
  }
  held.release();
  const { code, output } = await running;
  t.equal(code, 0, output);
  t.equal(filesIn(to).length, 2);
  for (const { trigger } of gateways) t.match(await trigger(), { body: { log: { success: true } } });
});

test('a backup whose session is lost ends its pg_dump, and leaves nothing', { skip }, async t => {
  const { url, sql, to, held, open } = await gatewaysOf(t);
  const lost = 'The backup failed: the connection to the database was lost.';
  const lose = async (): Promise<void> => {
    await until('its pg_dump runs', held.isRunning);
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (
      select oid from pg_database where datname = current_database()) and (classid::bigint << 32) + objid::bigint = ${LOCK}`;
  };
  const running = (await open({ PG_DUMP_PATH: held.path })).trigger();
  await lose();
  t.match(await running, { status: 200, body: { log: { success: false, error: lost } } });
  t.same(filesIn(to), []);
  held.forget();
  const command = backup(t, url, to, { PG_DUMP_PATH: held.path });
  await lose();
  t.match(await command, { code: 1, stderr: `${lost}\n` });
  t.same(filesIn(to), []);
});

/** A database, gateways that back it up to one folder, and a pg_dump that waits until it is released. */
async function gatewaysOf(t: Test) {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const [to, beside] = [folder(t), folder(t)];
  const [begun, released] = [join(beside, 'begun'), join(beside, 'released')];
  const real = programs().PG_DUMP_PATH;
  const path = script(t, `[ "$1" = --version ] && exec ${real} --version`, `touch ${begun}`,
    `until [ -e ${released} ]; do sleep 0.05; done`, `exec ${real} "$@"`);
  const held = {
    path, isRunning: () => existsSync(begun), forget: () => { rmSync(begun); }, release: () => { writeFileSync(released, ''); },
  };
  t.teardown(held.release);

  return { url, sql, to, held, open };

  async function open(env: Record<string, string> = {}) {
    const { request, close } = await openService(url, { ...programs(), BACKUP_DESTINATION: to, ...env });
    t.teardown(close);
    return {
      trigger: () => request('/admin/cron/service.backup/trigger', { method: 'POST' }),
      schedule: async () => (await request('/admin/backups')).body.schedule as object,
    };
  }
}
