import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { addressOf, emptyFolder, runCommand, startGateway } from './gateway.ts';

test('rowgate init writes a project that starts, and leaves what is there', async t => {
  const folder = emptyFolder(t);
  writeFileSync(join(folder, '.gitignore'), 'mine\n');
  const { code, output } = await runCommand(t, ['init'], {}, folder);
  t.equal(code, 0);
  t.match(output, /^written {2}collections\/notes\.json$/m);
  t.match(output, /^kept {5}\.gitignore$/m);
  t.match(output, /Next: rowgate start\n$/);
  t.equal(readFileSync(join(folder, '.gitignore'), 'utf8'), 'mine\n');
  const again = await runCommand(t, ['init'], {}, folder);
  t.notMatch(again.output, /written/);
  const { url } = await createDatabase(t, { template: 'served' });
  const address = await addressOf(startGateway(t, { DATABASE_URL: url }, folder));
  const response = await fetch(`${address}/data/notes`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } });
  t.match(await response.json(), { data: [{ text: 'Change collections/notes.json and save it.', done: false }] });
});

test('rowgate init makes a folder that is named', async t => {
  const folder = emptyFolder(t);
  t.match(await runCommand(t, ['init', 'shop'], {}, folder),
    { code: 0, output: /^written {2}shop\/\.env$[^]*Next: cd shop && rowgate start\n$/m });
  t.match(readFileSync(join(folder, 'shop/.gitignore'), 'utf8'), /^\.env$/m);
});

test('rowgate sql runs what is given', async t => {
  const { url } = await createDatabase(t, { template: 'served_store' });
  const sql = (statements: string) => runCommand(t, ['sql', statements], { DATABASE_URL: url });
  t.same(await sql('select 1').then(({ code, output }) => [code, output]), [0, '1\n']);
  t.match(await sql('select id, name from tags order by id limit 2'),
    { code: 0, output: /^id \| name *\n---\+-+\n1 {2}\| .*\n2 {2}\| .*\n\(2 rows\)\n$/ });
  t.match(await sql(`create table things (id integer); insert into things values (1), (2); select count(*) from things`),
    { code: 0, output: /2\n$/ });
  t.match(await sql(`select service.count('tags')`), { code: 0, output: /^\{"count":\d+\}\n$/ });
  t.match(await sql('select 1;\nselect nothing'), { code: 1, stderr: '42703: column "nothing" does not exist (line 2)\n' });
  t.match(await sql(`do $$ begin raise notice 'hear'; end $$`), { code: 0, stderr: 'NOTICE: hear\n' });
});

test('rowgate sql reads standard input', async t => {
  const { url } = await createDatabase(t);
  const child = spawn(process.execPath, [...process.execArgv, join(ROOT, 'gateway/cli.ts'), 'sql'],
    { env: { PATH: process.env['PATH'], NODE_ENV: 'test', DATABASE_URL: url } });
  child.stdin.end(`begin; create table things (id integer); insert into things values (7); commit;\nselect id from things;\n`);
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  t.match(output, /7\n$/);
  t.equal(child.exitCode, 0);
});

test('the command line suggests the command that was meant', async t => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  for (const args of [['help'], ['--help'], ['-h']]) {
    t.match(await runCommand(t, args, {}), { code: 0, output: /^ {2}init \[folder\] /m }, args.join(' '));
  }
  for (const args of [['--version'], ['-v']]) t.match(await runCommand(t, args, {}), { code: 0, output: `${version}\n` });
  t.match(await runCommand(t, ['start', '--help'], {}), { code: 0, output: /^ {2}start .*\n {4}--port … / });
  t.match(await runCommand(t, ['strat'], {}), { code: 1, stderr: /^rowgate does not know: strat\. Did you mean start\?\n/ });
  t.match(await runCommand(t, ['start', 'now'], {}), { code: 1, stderr: /^rowgate start does not take: now\n/ });
  t.match(await runCommand(t, ['start', '--port', 'high'], {}), { code: 1, stderr: 'PORT must be a whole number, from 0 to 65535.\n' });
  t.notMatch((await runCommand(t, ['help'], {})).output, /\u001b/, 'no colours where there is no terminal');
});

test('rowgate reload asks every gateway to look again', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served_store' });
  const env = { DATABASE_URL: url };
  const heard = new Promise<string>(resolve => void sql.listen('service_catalog', resolve));
  t.match(await runCommand(t, ['reload'], env),
    { code: 0, output: 'Every gateway of this database was asked to look at its tables again.\n' });
  t.equal(await heard, 'ddl');
  t.match(await runCommand(t, ['reload', '--json'], env), { code: 0, output: '{"reload":"announced"}\n' });
  t.match(await runCommand(t, ['reload', 'now'], env), { code: 1, stderr: /rowgate reload does not take: now/ });
  const { url: bare } = await createDatabase(t);
  t.match(await runCommand(t, ['reload'], { DATABASE_URL: bare }), { code: 1, stderr: /rowgate migrate/ });
});

test('rowgate migrate tells what it does as JSON, and with an exit code', async t => {
  const { url } = await createDatabase(t);
  const ask = async (...args: string[]) => {
    const { code, output } = await runCommand(t, ['migrate', ...args], { DATABASE_URL: url });
    return [code, args.includes('--json') ? JSON.parse(output) as unknown : output] as const;
  };
  const [code, planned] = await ask('--check', '--json') as [number, { script: string }];
  t.match([code, planned.script.split('\n')[0]], [2, String]);
  t.equal((await ask('--check'))[0], 2);
  t.equal((await ask('--plan', '--json'))[0], 0, 'a plan alone is no failure');
  const [done, { migrations, sources }] = await ask('--json') as [number, { migrations: string[]; sources: string[] }];
  t.same([done, migrations[0], sources.includes('sql/public/schema/reload.sql')], [0, '000001.sql', true]);
  t.same(await ask('--json'), [0, { migrations: [], sources: [] }]);
  t.same(await ask('--check', '--json'), [0, { script: null }]);
  t.same(await ask('--check'), [0, '-- The schema of the service is up to date.\n']);
});
