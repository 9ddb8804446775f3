import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type Test } from 'tap';
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

/** A database, gateways that back it up to one folder, and a pg_dump that waits until it is released. */
async function gatewaysOf(t: Test) {
  const { url } = await createDatabase(t, { template: 'served' });
  const [to, beside] = [folder(t), folder(t)];
  const [begun, released] = [join(beside, 'begun'), join(beside, 'released')];
  const real = programs().PG_DUMP_PATH;
  const path = script(t, `[ "$1" = --version ] && exec ${real} --version`, `touch ${begun}`,
    `until [ -e ${released} ]; do sleep 0.05; done`, `exec ${real} "$@"`);
  const held = { path, isRunning: () => existsSync(begun), release: () => { writeFileSync(released, ''); } };
  t.teardown(held.release);

  return { url, to, held, open };

  async function open(env: Record<string, string> = {}) {
    const { request, close } = await openService(url, { ...programs(), BACKUP_DESTINATION: to, ...env });
    t.teardown(close);
    return {
      trigger: () => request('/admin/cron/service.backup/trigger', { method: 'POST' }),
      schedule: async () => (await request('/admin/backups')).body.schedule as object,
    };
  }
}
