import { test } from 'tap';
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { developmentSecrets } from '../../gateway/identity/secrets.ts';

const run = promisify(execFile);
const module = new URL('../../gateway/identity/secrets.ts', import.meta.url).href;

test('development secrets are made once, and only their owner reads them', t => {
  const file = join(t.testdir(), 'made', 'here', 'secrets.json');
  const secrets = developmentSecrets(file);
  t.match(secrets, { jwtSecret: /^[\w-]{43}$/, serviceKey: /^dev-[\w-]{43}$/ });
  t.same(developmentSecrets(file), secrets);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.same(readdirSync(join(file, '..')), ['secrets.json'], 'no draft is left behind');
  chmodSync(file, 0o644);
  developmentSecrets(file);
  t.equal(statSync(file).mode & 0o777, 0o600, 'a file that became readable to others is closed again');
  t.end();
});

test('git leaves out a folder that is named .data, and no other', async t => {
  const project = t.testdir();
  await run('git', ['init', '-q', project]);
  developmentSecrets(join(project, '.data', 'secrets.json'));
  developmentSecrets(join(project, 'kept', 'secrets.json'));
  const { stdout } = await run('git', ['-C', project, 'status', '--porcelain']);
  t.equal(stdout, '?? kept/\n');
  t.same(readdirSync(join(project, 'kept')), ['secrets.json']);

  writeFileSync(join(project, '.data', '.gitignore'), '*\n!shared.json\n');
  developmentSecrets(join(project, '.data', 'secrets.json'));
  t.equal(readFileSync(join(project, '.data', '.gitignore'), 'utf8'), '*\n!shared.json\n', 'one that is there stays');
});

test('servers that start at once share one set of secrets', async t => {
  const file = join(t.testdir(), 'secrets.json');
  const script = `import { developmentSecrets } from '${module}'; console.log(JSON.stringify(developmentSecrets(process.argv[1])))`;
  const starts = await Promise.all(Array.from({ length: 8 },
    () => run(process.execPath, [...process.execArgv, '--input-type=module', '-e', script, file])));
  t.same([...new Set(starts.map(start => start.stdout.trim()))], [JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))]);
});

test('a damaged file is one clear error that does not quote it', t => {
  const dir = t.testdir();
  for (const [i, text] of ['', '{', 'null', '[]', '"text"', '{"jwtSecret":"short","serviceKey":"short"}', '{"jwtSecret":7}'].entries()) {
    const file = join(dir, `${i}.json`);
    writeFileSync(file, text);
    chmodSync(file, 0o644);
    t.throws(() => developmentSecrets(file),
      { message:
        `The development secrets in ${file} cannot be read. Delete the file to have new ones made; tokens signed until now end with it.` });
    t.equal(statSync(file).mode & 0o777, 0o644, 'what is perhaps somebody else\'s is left as it is');
  }
  symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling.json'));
  t.throws(() => developmentSecrets(join(dir, 'dangling.json')), /cannot be read/);
  mkdirSync(join(dir, 'folder.json'));
  t.throws(() => developmentSecrets(join(dir, 'folder.json')), /EISDIR/);
  t.end();
});

test('production gets no made-up secrets', t => {
  const before = process.env['NODE_ENV'];
  t.teardown(() => {
    if (before === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = before;
  });
  process.env['NODE_ENV'] = 'production';
  t.throws(() => developmentSecrets(join(t.testdir(), 'secrets.json')), /JWT_SECRET and SERVICE_SERVICE_KEY/);
  t.end();
});
