import { mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { test } from 'tap';
import { LOCK } from '../../gateway/features/backups/backup.ts';
import { createService, openService, tokenFor } from '../harness/service.ts';
import { createDatabase } from '../harness/database.ts';
import { dumpIn, folder, programs, script, skip } from './backups.ts';

test('without a destination the inventory says so', async t => {
  const { request } = await createService(t, { template: 'served' });
  t.same((await request('/admin/backups')).body, { backups: [], destinationKind: 'local', configured: false, schedule: null });
  t.match(await request('/admin/backups/download?key=x.dump'), { status: 400, body: { error: { code: 'BAD_REQUEST' } } });
  t.equal((await request('/admin/backups', { as: null })).status, 401);
  t.equal((await request('/admin/backups', { as: await tokenFor('a-person') })).status, 403);
});

test('the inventory lists dumps, the newest first, and downloads are whole', async t => {
  const to = folder(t);
  const bytes = Buffer.alloc(3_000_000, 'content of a dump ');
  const [old, fresh] = ['service-a%20b-20200101T000000Z', 'service-a%20b-20210101T000000Z'];
  writeFileSync(join(to, `${old}.dump`), bytes);
  writeFileSync(join(to, `${old}.globals.sql`), 'create role x;');
  writeFileSync(join(to, `${fresh}.dump`), '');
  writeFileSync(join(to, 'by hand "x".dump'), 'few');
  utimesSync(join(to, 'by hand "x".dump'), 1_600_000_000, 1_600_000_000);
  writeFileSync(join(to, 'notes.txt'), 'no backup');
  writeFileSync(join(to, '.partial-x'), 'half');
  mkdirSync(join(to, 'folder.dump'));
  symlinkSync('/etc/passwd', join(to, 'link.dump'));
  const secret = folder(t);
  writeFileSync(join(secret, 'outside.dump'), 'secret');
  const { request } = await createService(t, { template: 'served', env: { BACKUP_DESTINATION: to } });
  const local = { destinationKind: 'local' };
  t.match((await request('/admin/backups')).body, {
    configured: true, destinationKind: 'local', backups: [
      { ...local, key: join(to, `${fresh}.dump`), name: `${fresh}.dump`, sizeBytes: 0, createdAt: '2021-01-01T00:00:00.000Z' },
      { ...local, name: 'by hand "x".dump', sizeBytes: 3, createdAt: '2020-09-13T12:26:40.000Z' },
      { ...local, name: `${old}.dump`, sizeBytes: 3_000_000, globalsKey: join(to, `${old}.globals.sql`) },
    ], schedule: { jobId: 'service.backup', enabled: false, disabledInCode: true, schedule: '0 3 * * *' },
  });
  const download = (key: string, options = {}) => request(`/admin/backups/download?key=${encodeURIComponent(key)}`, options);
  const whole = await download(join(to, `${old}.dump`));
  t.equal(whole.status, 200);
  t.ok(whole.text === bytes.toString(), 'every byte');
  t.equal(whole.headers.get('content-type'), 'application/octet-stream');
  t.equal(whole.headers.get('content-length'), '3000000');
  t.equal(whole.headers.get('content-disposition'), `attachment; filename="${old}.dump"`);
  t.equal((await download(join(to, `${old}.globals.sql`))).text, 'create role x;');
  t.equal((await download(join(to, `${fresh}.dump`))).text, '');
  t.equal((await download(join(to, 'by hand "x".dump'))).headers.get('content-disposition'), 'attachment; filename="by_hand__x_.dump"');
  const head = await download(join(to, `${old}.dump`), { method: 'HEAD' });
  t.same([head.status, head.text, head.headers.get('content-length')], [200, '', '3000000']);

  for (const key of [
    join(secret, 'outside.dump'), `${to}/../${secret.split('/').pop() ?? ''}/outside.dump`, `${to}/./${old}.dump`, `${to}//${old}.dump`,
    `${old}.dump`, join(to, 'link.dump'), join(to, 'folder.dump'), `${join(to, 'folder.dump')}/`, to, `${to}/`, join(to, 'notes.txt'),
    join(to, '.partial-x'), join(to, `${old}.dump\0`), join(to, `${old}.dump\0.dump`), encodeURIComponent(join(to, `${old}.dump`)),
    join(to, 'absent.dump'), `${to}/${'x'.repeat(300)}.dump`, join(to, '.dump'), 'file://' + join(to, `${old}.dump`), '/etc/passwd',
  ]) {
    t.match(await download(key), { status: 404, body: { error: { code: 'NOT_FOUND' } } }, JSON.stringify(key));
  }
  for (const query of ['', '?key=', '?kee=x']) t.equal((await request(`/admin/backups/download${query}`)).status, 400, query);
  for (const query of ['?key=%', '?key=%zz.dump', '?key=%ff.dump']) {
    t.equal((await request(`/admin/backups/download${query}`)).status, 404, query);
  }
});

test('the job service.backup is shown and run like any other, and its last run is told', { skip }, async t => {
  const to = folder(t);
  const env = { ...programs(), BACKUP_DESTINATION: to, BACKUP_SCHEDULE: '30 2 * * *' };
  const { request, url } = await createService(t, { template: 'served', env });
  t.match((await request('/admin/cron/service.backup')).body, {
    job: { id: 'service.backup', schedule: '30 2 * * *', timezone: 'UTC', enabled: true, state: 'idle' },
  });
  const run = await request('/admin/cron/service.backup/trigger', { method: 'POST' });
  t.match(run, { status: 200, body: { log: { success: true, result: { key: dumpIn(to), sizeBytes: statSync(dumpIn(to)).size } } } });
  const { backups, schedule } = (await request('/admin/backups')).body as { backups: { key: string }[]; schedule: object };
  t.match(schedule, { enabled: true, lastRun: { success: true, manual: true }, lastManualRun: { success: true, manual: true } });
  t.match(schedule, { nextRunAt: /T02:30:00/ });
  t.same(backups.map(({ key }) => key), [dumpIn(to)]);
  t.ok((await request(`/admin/backups/download?key=${encodeURIComponent(dumpIn(to))}`)).headers.get('content-length')
    === String(readFileSync(dumpIn(to)).length));

  const other = postgres(url, { max: 1 });
  await other.begin(async sql => {
    await sql`select pg_advisory_xact_lock(${LOCK})`; // as a backup of another gateway, or by hand
    t.match((await request('/admin/cron/service.backup/trigger', { method: 'POST' })).body, { log: { success: false } });
  });
  await other.end();
  t.match((await request('/admin/backups')).body, {
    schedule: { lastRun: { success: false, error: 'Another backup of this database is under way.' } },
  });

  const failing = await openService(url, { ...env, PG_DUMP_PATH: script(t, 'exit 1') });
  t.teardown(failing.close);
  t.match((await failing.request('/admin/cron/service.backup/trigger', { method: 'POST' })).body, { log: { success: false } });
  t.match((await failing.request('/admin/backups')).body, {
    schedule: { lastRun: { success: false, manual: true, error: 'program failed: exit code 1.' } },
  });
});

test('/metrics tells the age of the newest backup of this database, where there is a destination', async t => {
  const to = folder(t);
  const { url, name, sql } = await createDatabase(t, { template: 'served' });
  const ageWith = async (env: Record<string, string>) => {
    const service = await openService(url, { SERVICE_METRICS: 'true', ...env });
    const text = await (await fetch(`${service.address}/metrics`)).text();
    await service.close();
    return /^service_backup_age_seconds (\S+)$/m.exec(text)?.[1];
  };
  t.equal(await ageWith({}), undefined);
  t.equal(await ageWith({ BACKUP_DESTINATION: to }), '+Inf');
  t.equal(await ageWith({ BACKUP_DESTINATION: join(to, 'none') }), '+Inf');
  const [row] = await sql<{ stamps: string[] }[]>`
    select array_agg(to_char(now() at time zone 'UTC' - ago, 'YYYYMMDD"T"HH24MISS"Z"')) as stamps
    from unnest(array[interval '2 hours', '1 hour', '1 second']) ago`;
  const [old = '', newer = '', newest = ''] = row?.stamps ?? [];
  for (const file of [`${name}-${old}`, `${name}-${newer}`, `other-${newest}`]) writeFileSync(join(to, `service-${file}.dump`), '');
  const age = Number(await ageWith({ BACKUP_DESTINATION: to }));
  t.ok(age >= 3_600 && age < 7_200, `${age} seconds`);
  const away = { S3_ENDPOINT: 'http://127.0.0.1:1', S3_ACCESS_KEY_ID: 'x', S3_SECRET_ACCESS_KEY: 'x' };
  t.equal(await ageWith({ BACKUP_DESTINATION: 's3://away', ...away }), undefined, 'a destination that cannot be read');
});

test('a schedule that cannot be read, or has nowhere to write to, stops the start', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  await t.rejects(openService(url, { BACKUP_DESTINATION: '/tmp/x', BACKUP_SCHEDULE: '99 * * * *' }),
    { name: 'BootError', message: /^BACKUP_SCHEDULE: '99' is no minute of a schedule/ });
  await t.rejects(openService(url, { BACKUP_SCHEDULE: '0 3 * * *' }), { message: 'BACKUP_SCHEDULE needs BACKUP_DESTINATION.' });
  for (const place of ['ftp://x/y', 's3://', 's3:///prefix', 's3://bucket/a?b', 'gs://b ad']) {
    await t.rejects(openService(url, { BACKUP_DESTINATION: place }), { message: /BACKUP_DESTINATION must be a folder, s3:/ }, place);
  }
  await t.rejects(openService(url, { BACKUP_DESTINATION: 's3://bucket' }), { message: /needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY/ });
  await t.rejects(openService(url, { BACKUP_DESTINATION: 'gs://bucket/a' }), { message: /needs GCS_KEY_FILENAME/ });
});
