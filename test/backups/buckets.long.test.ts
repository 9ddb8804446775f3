import { ListMultipartUploadsCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import postgres from 'postgres';
import { test } from 'tap';
import { gcsStore } from '../../gateway/blobs/gcs/store.ts';
import { makeBackup } from '../../gateway/features/backups/backup.ts';
import { bucketDestination } from '../../gateway/features/backups/bucket.ts';
import { listBackups } from '../../gateway/features/backups/inventory.ts';
import { readConfig } from '../../gateway/features/config.ts';
import { createDatabase } from '../harness/database.ts';
import { startGoogleForm } from '../harness/google.ts';
import { openService } from '../harness/service.ts';
import { remoteStoreOf, s3Client, startSwift } from '../harness/swift.ts';
import { backup, databaseNamed, folder, programs, restoreInto, script, skip as withoutClient } from './backups.ts';
import { cutting } from './cutting.ts';

const PART = 5 * 1024 * 1024;
const swift = await startSwift().catch((error: unknown) => error as Error);
const skip = withoutClient || (swift instanceof Error && `no store that speaks S3 can be had here: ${swift.message}`);

test('backups in a bucket', { skip }, async t => {
  if (swift instanceof Error) return;
  const { env } = swift;
  const [store, bare] = [remoteStoreOf(swift), s3Client(env)];
  t.teardown(async () => {
    store.close();
    bare.destroy();
    await swift.stop();
  });
  const source = await createDatabase(t, { template: 'served' });
  await fill(source.sql, 100_000);

  await t.test('made, proven, listed, downloaded, restored by its key, and pruned', async t => {
    const to = 's3://media/nightly/ü +%20/';
    const prefix = 'nightly/ü +%20/';
    const url = await databaseNamed(t, 'a b/c%+', source, 'served');
    const odd = postgres(url, { max: 1, database: 'a b/c%+' });
    await fill(odd, 100_000);
    await odd.end();
    const old = `${prefix}service-a%20b%2Fc%25%2B-20200101T000000Z`;
    for (const key of [`${old}.dump`, `${old}.globals.sql`, `${prefix}sub/x.dump`, `${prefix}other.dump`, 'nightly/outside.dump']) {
      await bare.send(new PutObjectCommand({ Bucket: 'media', Key: key, Body: 'old' }));
    }
    const { code, output } = await backup(t, url, to, { ...env, BACKUP_RETENTION_DAYS: '7' }, ['--prove', '--json']);
    t.equal(code, 0, output);
    const made = JSON.parse(output) as { key: string; rolesKey: string; sizeBytes: number; deleted: string[]; proof: { rows: number } };
    t.match(made.key, new RegExp(`^nightly/ü \\+%20/service-a%20b%2Fc%25%2B-\\d{8}T\\d{6}Z\\.dump$`));
    t.ok(made.sizeBytes > PART, 'in parts');
    t.ok(made.proof.rows > 100_000);
    t.same(await keys(prefix), [made.key, made.rolesKey, `${prefix}other.dump`, `${prefix}sub/x.dump`].sort(), 'the old one is pruned');
    t.same(await unfinished(), []);

    const service = await openService(source.url, { ...env, BACKUP_DESTINATION: to });
    t.teardown(service.close);
    const { backups, ...place } = (await service.request('/admin/backups')).body as { backups: { key: string }[]; configured: boolean };
    t.match(place, { configured: true, destinationKind: 's3' });
    t.match(backups.sort((one, other) => one.key < other.key ? -1 : 1), [
      { key: `${prefix}other.dump`, name: 'other.dump', sizeBytes: 3, createdAt: /^20/ },
      { key: made.key, name: made.key.slice(prefix.length), sizeBytes: made.sizeBytes, destinationKind: 's3', globalsKey: made.rolesKey },
    ]);
    const download = (key: string) => service.request(`/admin/backups/download?key=${encodeURIComponent(key)}`);
    const whole = await download(made.key);
    t.equal(whole.status, 200);
    t.equal(whole.headers.get('content-length'), String(made.sizeBytes));
    t.match(whole.text, /^PGDMP/);
    t.match((await download(made.rolesKey)).text, /CREATE ROLE service_user;/);
    for (const key of [
      'nightly/outside.dump', `${prefix}sub/x.dump`, `${prefix}../outside.dump`, `/media/${made.key}`, made.key.slice(prefix.length),
      `${made.key}\0`, `${made.key}/`, encodeURIComponent(made.key), `${prefix}absent.dump`, `${prefix}${'x'.repeat(2_000)}.dump`, prefix,
    ]) t.equal((await download(key)).status, 404, JSON.stringify(key));

    for (const [named, clean] of [[made.key, []], [made.key.slice(prefix.length), ['--clean']]] as const) {
      const { url, sql } = await createDatabase(t, clean.length === 0 ? {} : { template: 'served' });
      const restored = await restoreInto(t, url, [...clean, named], { ...env, BACKUP_DESTINATION: to });
      t.equal(restored.code, 0, restored.output);
      t.same(await sumOf(sql), await sumOf(source.sql));
    }
    t.match(await restoreInto(t, source.url, [`${prefix}none.dump`], { ...env, BACKUP_DESTINATION: to }),
      { code: 1, stderr: `There is no backup ${prefix}none.dump.\n` });
    const other = await createDatabase(t);
    t.match(await restoreInto(t, other.url, ['other.dump'], { ...env, BACKUP_DESTINATION: to }),
      { code: 1, stderr: /^pg_restore failed: .*\n$/ });
  });

  await t.test('a bucket that drops the connection leaves nothing, and all that was there', async t => {
    const proxy = await cutting(t, env.S3_ENDPOINT);
    const through = { ...env, S3_ENDPOINT: proxy.endpoint, BACKUP_RETENTION_DAYS: '1' };
    const old = `cut/service-${source.name}-20200101T000000Z.dump`;
    await bare.send(new PutObjectCommand({ Bucket: 'media', Key: old, Body: 'old' }));
    const lastPart = (head: string) => /^PUT .*partNumber=/.test(head) && Number(/content-length: (\d+)/i.exec(head)?.[1]) < PART;
    const completes = (head: string) => /^POST \S*\?uploadId=/.test(head);
    const ofRoles = (head: string) => /^PUT \S*globals\.sql/.test(head);
    const cases: Record<string, Parameters<typeof proxy.cuts>[0]> = {
      'at the last part': head => lastPart(head) ? 'request' : undefined,
      'after the last part': head => lastPart(head) ? 'answer' : undefined,
      'when the object is to be made': head => completes(head) ? 'request' : undefined,
      'when the object is made': head => completes(head) ? 'answer' : undefined,
      'at the roles': head => ofRoles(head) ? 'answer' : undefined,
      'at the beginning': head => head.startsWith('POST ') ? 'request' : undefined,
      'at a list': head => head.startsWith('GET ') ? 'request' : undefined,
      'at any part': head => /^PUT .*partNumber=1&/.test(head) ? 'request' : undefined,
    };
    for (const [name, cuts] of Object.entries(cases)) {
      proxy.cuts(cuts);
      const { code, stderr } = await backup(t, source.url, 's3://media/cut', through);
      t.equal(code, 1, name);
      t.match(stderr, /^The backup failed: The file could not be stored\. The file store: .*\n$/, name);
      t.equal(stderr.trimEnd().split('\n').length, 1, 'one line');
      t.same(await keys('cut/'), [old], name);
      // The note of an upload that was about to begin stays until its age shows that none did.
      if (name === 'at the beginning') await store.sweep(new Date(Date.now() + 60_000));
      t.same(await unfinished(), [], name);
    }

    let isAway = false;
    proxy.cuts(head => (isAway ||= lastPart(head)) ? 'request' : undefined);
    t.match(await backup(t, source.url, 's3://media/cut', through), { code: 1 }, 'a store that is away from then on');
    t.same((await keys('cut/')).filter(key => key.endsWith('.dump')), [old], 'the roles of a dump that never came go with a later sweep');
    t.ok((await unfinished()).length > 0);
    await store.sweep(new Date(Date.now() + 60_000)); // as a backup does a day later
    t.same(await unfinished(), []);

    let times = 0;
    proxy.cuts(head => lastPart(head) && times++ === 0 ? 'request' : undefined);
    const { code, output } = await backup(t, source.url, 's3://media/cut', through, ['--prove']);
    t.equal(code, 0, output);
    t.equal(times, 2, 'a part is sent again');
    t.same((await keys('cut/')).filter(key => key === old), [], 'the old one is pruned now');
    t.same(await unfinished(), []);

    const { url, sql } = await createDatabase(t);
    const [made = ''] = (await keys('cut/')).filter(key => key.endsWith('.dump'));
    for (const cut of ['request', 'answer', 'middle'] as const) {
      proxy.cuts(head => /^GET \S*\.dump/.test(head) ? cut : undefined);
      const broken = await restoreInto(t, url, [made], { ...through, BACKUP_DESTINATION: 's3://media/cut' });
      t.equal(broken.code, 1, cut);
      t.match(broken.stderr, /^The (restore failed|backup .* could not be read): The file store could not answer\..*\n$/);
      t.equal((await sql`select from pg_namespace where nspname = 'service'`).length, 0, 'nothing of it is restored');
    }
  });

  await t.test('programs that fail, end or write rubbish leave nothing', async t => {
    const { PG_DUMP_PATH: real } = programs();
    const version = `[ "$1" = --version ] && exec ${real} --version`;
    for (const [lines, line] of [
      [['echo rubbish'], /^pg_restore failed: .*\n$/],
      [[`${real} "$@" | head -c 1000`], /^pg_restore failed: .*\n$/],
      [[`${real} "$@" | head -c 6000000`, 'kill -9 $$'], /^program was killed by SIGKILL\.\n$/],
      [[`${real} "$@"`, 'echo "program: error: it broke" >&2', 'exit 1'], /^program failed: it broke\.\n$/],
    ] as const) {
      const { code, stderr } = await backup(t, source.url, 's3://media/broken', { ...env, PG_DUMP_PATH: script(t, version, ...lines) });
      t.equal(code, 1, lines.join());
      t.match(stderr, line);
      t.same([...await keys('broken/'), ...await unfinished()], []);
    }
  });

  await t.test('a bucket, keys or an endpoint that are wrong are one line', async t => {
    const cases = [
      { BACKUP_DESTINATION: 's3://no-such-bucket' }, { S3_SECRET_ACCESS_KEY: 'sEcReT' }, { S3_ENDPOINT: 'http://127.0.0.1:1' },
    ];
    for (const wrong of cases) {
      const { code, stderr } = await backup(t, source.url, 's3://media/x', { ...env, ...wrong });
      t.equal(code, 1);
      t.match(stderr, /^The backup failed: (?!.*sEcReT).*\n$/);
      t.equal(stderr.trimEnd().split('\n').length, 1, 'one line');
    }
  });

  await t.test('requests to Google have the form of its XML API', async t => {
    const google = await startGoogleForm(env, folder(t));
    const account = { bucket: 'media', keyFilename: google.keyFilename, projectId: undefined };
    const destination = bucketDestination({ kind: 'gcs', bucket: 'media', prefix: 'google/' }, gcsStore(account, google.endpoint));
    const owner = postgres(source.url, { max: 1 });
    t.teardown(async () => {
      await owner.end();
      destination.close();
      google.stop();
    });
    const config = readConfig({ ...programs(), DATABASE_URL: source.url, NODE_ENV: 'test' });
    const made = await makeBackup({ owner, config, destination, signal: new AbortController().signal });
    t.match(await listBackups(destination),
      [{ key: made.key, destinationKind: 'gcs', sizeBytes: made.sizeBytes, globalsKey: made.rolesKey }]);
    const { url, sql } = await createDatabase(t);
    const restored = await restoreInto(t, url, [made.key], { ...env, BACKUP_DESTINATION: 's3://media/google' });
    t.equal(restored.code, 0, restored.output);
    t.same(await sumOf(sql), await sumOf(source.sql));
    t.same(await unfinished(), []);
  });

  async function keys(prefix: string): Promise<string[]> {
    const { Contents = [] } = await bare.send(new ListObjectsV2Command({ Bucket: 'media', Prefix: prefix }));
    return Contents.map(({ Key = '' }) => Key).sort();
  }

  /** Uploads in parts that are not finished, and notes of them. */
  async function unfinished(): Promise<string[]> {
    const { Uploads = [] } = await bare.send(new ListMultipartUploadsCommand({ Bucket: 'media' }));
    return [...Uploads.map(({ Key = '' }) => Key), ...await keys('_service/')];
  }
});

/** Rows that no compression makes small. */
async function fill(sql: postgres.Sql, rows: number): Promise<void> {
  await sql`create table public.large as select n, sha512(n::text::bytea) as bytes from generate_series(1, ${rows}::integer) n`;
}

async function sumOf(sql: postgres.Sql): Promise<string | undefined> {
  const [row] = await sql<{ sum: string }[]>`select md5(string_agg(bytes, null order by n)) || count(*) as sum from public.large`;
  return row?.sum;
}
