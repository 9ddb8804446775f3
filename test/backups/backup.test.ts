import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';
import { startGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { backup, databaseNamed, dumpIn, filesIn, folder, programs, script, skip } from './backups.ts';

const run = promisify(execFile);

test('a backup is a dump and the roles, for the owner of the files alone', { skip }, async t => {
  const { url, name } = await createDatabase(t, { template: 'served' });
  const to = join(folder(t), 'made/for/it');
  const { code, output } = await backup(t, url, to);
  t.equal(code, 0, output);
  t.same(filesIn(to), [`service-${name}-TIME.dump`, `service-${name}-TIME.globals.sql`]);
  for (const file of readdirSync(to)) t.equal(statSync(join(to, file)).mode & 0o777, 0o600);
  t.equal(readFileSync(dumpIn(to)).subarray(0, 5).toString(), 'PGDMP');
  t.match(readFileSync(dumpIn(to).replace('.dump', '.globals.sql'), 'utf8'), /^CREATE ROLE service_user;$/m);
  t.match(output, new RegExp(`^${dumpIn(to)}  ${statSync(dumpIn(to)).size} bytes$`, 'm'));
  t.match(output, 'Files of the storage are not part of it.');
});

test('odd names of databases', { skip }, async t => {
  const template = await createDatabase(t);
  const names = { 'a b/c%\'"': 'a%20b%2Fc%25%27%22', 'x=y host=nowhere': 'x%3Dy%20host%3Dnowhere', 'größe\\': 'gr%C3%B6%C3%9Fe%5C' };
  for (const [name, encoded] of Object.entries(names)) {
    const to = folder(t);
    const { code, output } = await backup(t, await databaseNamed(t, name, template), to);
    t.equal(code, 0, output);
    t.same(filesIn(to), [`service-${encoded}-TIME.dump`, `service-${encoded}-TIME.globals.sql`]);
  }
});

test('credentials are in no argument', { skip }, async t => {
  const { url } = await createDatabase(t);
  const secret = new URL(url);
  secret.password ||= 'a-password-of-a-login'; // where the server trusts this machine
  const to = folder(t);
  const said = join(folder(t), 'arguments');
  const { PG_DUMP_PATH, PG_DUMPALL_PATH, PG_RESTORE_PATH } = programs();
  const telling = (path: string) => script(t, `echo "$@" >> ${said}`, `exec ${path} "$@"`);
  const { code, output } = await backup(t, secret.href, to, {
    PG_DUMP_PATH: telling(PG_DUMP_PATH), PG_DUMPALL_PATH: telling(PG_DUMPALL_PATH), PG_RESTORE_PATH: telling(PG_RESTORE_PATH),
  });
  t.equal(code, 0, output);
  t.match(readFileSync(said, 'utf8'), /-Fc/);
  t.notMatch(readFileSync(said, 'utf8'), decodeURIComponent(secret.password));
});

test('a pg_dump that is absent, old, no pg_dump, failing or killed is one line, exit code 1, and leaves nothing', { skip }, async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { PG_DUMP_PATH: real } = programs();
  const version = `[ "$1" = --version ] && exec ${real} --version`;
  const cases: [env: Record<string, string>, line: RegExp][] = [
    [{ PG_DUMP_PATH: '/nowhere/pg_dump' }, /^\/nowhere\/pg_dump cannot be run: .*ENOENT.*\.$/],
    [{ PG_DUMP_PATH: script(t, 'echo "pg_dump (PostgreSQL) 9.6.1"') }, /is of PostgreSQL 9: PostgreSQL \d+ needs \d+ or later\.$/],
    [{ PG_DUMP_PATH: script(t, 'echo rubbish') }, /does not say that it is a program of PostgreSQL\.$/],
    [{ PG_DUMP_PATH: script(t, version, 'echo rubbish') }, /^pg_restore failed: .*(archive|input file).*\.$/],
    [{ PG_DUMP_PATH: script(t, version, `${real} "$@" | head -c 1000`) }, /^pg_restore failed: .*\.$/],
    [{ PG_DUMP_PATH: script(t, version, 'echo half', 'echo "pg_dump: error: it broke" >&2', 'exit 1') }, /^program failed: it broke\.$/],
    [{ PG_DUMP_PATH: script(t, version, 'echo half', 'kill -9 $$') }, /^program was killed by SIGKILL\.$/],
    [{ PG_DUMPALL_PATH: script(t, version, 'exit 3') }, /^program failed: exit code 3\.$/],
    [{ BACKUP_DESTINATION: '' }, /^There is nowhere to back up to: set BACKUP_DESTINATION\.$/],
    [{ BACKUP_DESTINATION: '/dev/null/nowhere' }, /^The backup failed: .*\/dev\/null\/nowhere.*$/],
    [{ DATABASE_URL: url.replace(/\/[^/]*$/, '/none_of_this_name') }, /^The backup failed: database "none_of_this_name" does not exist$/],
  ];
  const beside = programs();
  for (const [env, line] of cases) {
    const to = folder(t);
    writeFileSync(join(to, 'service-other-20200101T000000Z.dump'), 'old');
    const { code, stderr } = await backup(t, url, to, { ...beside, ...env });
    t.equal(code, 1, String(line));
    t.match(stderr.trimEnd(), line);
    t.equal(stderr.trimEnd().split('\n').length, 1, 'one line');
    t.same(filesIn(to), ['service-other-TIME.dump']);
  }
});

test('a hanging pg_dump ends with the command, and what a killed one left goes with the next backup', { skip }, async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { PG_DUMP_PATH: real } = programs();
  const to = folder(t);
  const hanging = script(t, `[ "$1" = --version ] && exec ${real} --version`, 'echo half', 'trap "" TERM', 'exec sleep 300');
  const env = { ...programs(), DATABASE_URL: url, BACKUP_DESTINATION: to, PG_DUMP_PATH: hanging };
  const begun = async () => {
    const gateway = startGateway(t, env, undefined, 'cli.ts', ['backup']);
    await until('a file on its way', () => readdirSync(to).some(name => name.startsWith('.partial-') && statSync(join(to, name)).size > 0));
    return gateway;
  };
  const first = await begun();
  const second = await backup(t, url, to);
  t.match(second, { code: 1, stderr: 'Another backup of this database is under way.\n' });
  first.process.kill('SIGINT');
  t.match(await first.ended, { code: 1, stderr: /^program was ended: SIGINT came\.\n$/ });
  t.same(filesIn(to), []);

  const killed = await begun();
  killed.process.kill('SIGKILL');
  await killed.ended;
  t.same(filesIn(to), ['.partial']);
  await until('the lock of the killed one', async () => (await backup(t, url, to)).code === 0);
  t.equal(filesIn(to).length, 2, 'the dump and the roles');
});

test('only old backups of this database are deleted, and never the newest', { skip }, async t => {
  const { url, name } = await createDatabase(t);
  const to = folder(t);
  const kept = [
    'other.dump', 'service-other-20200101T000000Z.dump', `service-${name}-notes.dump`, `service-${name}x-20200101T000000Z.dump`,
  ];
  const old = [`service-${name}-20200101T000000Z`, `service-${name}-20200102T000000Z`, `service-${name}-20200103T000000Z`];
  for (const file of [...kept, ...old.flatMap(file => [`${file}.dump`, `${file}.globals.sql`])]) writeFileSync(join(to, file), '');
  const lost = join(to, `service-${name}-20200104T000000Z.globals.sql`);
  writeFileSync(lost, 'roles of a dump that never came');
  utimesSync(lost, 1_600_000_000, 1_600_000_000);
  const here = () => readdirSync(to).filter(file => !kept.includes(file) && !/-20[3-9]\d|-202[1-9]/.test(file)).sort();
  const all = old.flatMap(file => [`${file}.dump`, `${file}.globals.sql`]);

  t.equal((await backup(t, url, to)).code, 0);
  t.same(here(), all, 'without a limit all stay, but roles without a dump');
  t.match((await backup(t, url, to, { BACKUP_RETENTION_DAYS: '7', BACKUP_KEEP_MINIMUM: '4' })).output, /20200101T000000Z\.dump {2}deleted/);
  t.same(here(), all.slice(2));
  const failing = { BACKUP_RETENTION_DAYS: '7', PG_DUMPALL_PATH: script(t, 'exit 1') };
  t.equal((await backup(t, url, to, failing)).code, 1);
  t.same(here(), all.slice(2), 'a backup that fails deletes nothing');
  t.equal((await backup(t, url, to, { BACKUP_RETENTION_DAYS: '7' })).code, 0);
  t.same(here(), []);
  t.same(kept.filter(file => readdirSync(to).includes(file)), kept);
});

test('a full disk is one line, and leaves the backups that were there', { skip }, async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const { PG_DUMP_PATH, PG_DUMPALL_PATH } = programs();
  const filling = (real: string) =>
    script(t, `[ "$1" = --version ] && exec ${real} --version`, `${real} "$@"`, 'head -c 9000000 /dev/zero');
  const old = 'service-other-20200101T000000Z.dump';
  const [limited, small] = [folder(t), folder(t)];
  const unmounted = await mount(small);
  if (unmounted === undefined) t.teardown(() => run('umount', [small]));
  for (const to of [limited, small]) writeFileSync(join(to, old), 'old');
  const refused = async (to: string, env: Record<string, string>, line: RegExp) => {
    const { code, stderr } = await backup(t, url, to, env);
    t.equal(code, 1);
    t.match(stderr, line);
    t.equal(stderr.trimEnd().split('\n').length, 1, 'one line');
    t.same(readdirSync(to), [old]);
  };
  await t.test('a file that may not grow', () =>
    refused(limited, { PG_DUMP_PATH: script(t, 'ulimit -f 64', `exec ${PG_DUMP_PATH} "$@"`) }, /^program was killed by SIGXFSZ\.\n$/));
  await t.test('a file system of 8 MB', { skip: unmounted ?? false }, async t => {
    await refused(small, { PG_DUMP_PATH: filling(PG_DUMP_PATH) }, /^program failed: .*No space left on device\.\n$/);
    await refused(small, { PG_DUMPALL_PATH: filling(PG_DUMPALL_PATH) }, /^The backup failed: ENOSPC: no space left on device, .*\n$/);
    const { code, output } = await backup(t, url, small);
    t.equal(code, 0, output);
  });
});

/** A file system of 8 MB. @returns why there can be none */
async function mount(at: string): Promise<string | undefined> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', at]);
    return undefined;
  } catch (error) {
    return `no file system can be mounted here: ${(error as Error).message.trim()}`;
  }
}
