// The package as npm packs it, installed from the registry in an empty folder and run there by the system's own Node.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import { schema } from '../harness/service.ts';
import { environmentOf } from './compose.ts';
import { installPackage, npm, packageFolder, rowgate, startPackage, stopPackage, systemNode } from './install.ts';

const NOTES = {
  slug: 'notes', properties: { id: { type: 'number', isId: 'increment' }, text: { type: 'string', validation: { required: true } } },
};

/** With types, a package that the project installed itself, and `hono`, which it did not. */
const FUNCTION = `
  import { Hono } from 'hono';
  import ms from 'ms';
  import { getUserId, requireAuth } from 'rowgate/functions';

  const app = new Hono();
  app.get('/:time', c => c.json({ milliseconds: ms(c.req.param('time') as ms.StringValue) }));
  app.get('/', requireAuth, c => c.json({ uid: getUserId(c) }));
  export default app;`;

test(`the package, installed and started by Node ${systemNode}`, async t => {
  const folder = installPackage(t);
  if (folder === undefined) return;
  const installed = packageFolder(folder);

  await t.test('says what it can, and which version it is', t => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    t.match(rowgate(folder, ['--version']), { status: 0, stdout: `${version}\n` });
    t.match(rowgate(folder, ['--help']), { status: 0, stdout: /^ {2}start /m });
    for (const args of [[], ['serve'], ['start', 'now']]) t.match(rowgate(folder, args), { status: 1, stderr: /Usage: rowgate <command>/ });
    t.match(rowgate(folder, ['start'], { PORT: 'high' }), { status: 1, stderr: 'PORT must be a whole number, from 0 to 65535.\n' });
    t.end();
  });

  await t.test('serves the collection files of its folder from an embedded server', async t => {
    mkdirSync(join(folder, 'collections'));
    writeFileSync(join(folder, 'collections/notes.json'), JSON.stringify(NOTES));
    const port = String(await freePort());
    const started = await startPackage(t, folder, { PORT: port }, /Try\n/);
    t.match(started.output(), /Collections {2}notes\n/);
    if (process.platform === 'linux') {
      const commands = commandsOf('dist/cli.js', installed).concat(commandsOf('.bin/rowgate', folder));
      t.ok(commands.length > 0 && commands.every(command => command.includes('--max-semi-space-size=8')), commands.join('\n'));
    }
    const [, key = ''] = /Service key\s+(\S+)/.exec(started.output()) ?? [];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const notes = `http://127.0.0.1:${port}/api/data/notes`;
    t.equal((await fetch(notes, { method: 'POST', headers, body: '{"text":"first"}' })).status, 201);
    t.match(await (await fetch(notes, { headers })).json(), { data: [{ text: 'first' }], meta: { total: 1 } });
    const explorer = `http://127.0.0.1:${port}/api/swagger`;
    for (const name of ['', '/swagger-ui-bundle.js', '/swagger-ui.css', '/explorer.js', '/explorer.css']) {
      t.equal((await fetch(explorer + name)).status, 200, name);
    }
    t.match(rowgate(folder, ['health'], { PORT: port }), { status: 0, stdout: /"status":"ok"/ });
    t.equal(await stopPackage(started.process), 0);
    t.ok(readdirSync(join(installed, 'dist/.compiled'), { recursive: true }).length > 100,
      'what V8 made of the modules is kept for the next start');
    t.equal(rowgate(folder, ['health'], { PORT: port }).status, 1);
  });

  await t.test('serves a function with a dependency of its own', async t => {
    t.match(npm(folder, 'install', 'ms@2.1.3', '--prefer-offline', '--no-audit', '--no-fund'), { status: 0 });
    mkdirSync(join(folder, 'functions'));
    writeFileSync(join(folder, 'functions/wait.ts'), FUNCTION);
    const port = String(await freePort());
    const started = await startPackage(t, folder, { PORT: port }, /Try\n/);
    t.match(started.output(), /Functions {2,}wait\n/);
    const answer = await fetch(`http://127.0.0.1:${port}/api/functions/wait/2h`);
    t.match({ status: answer.status, body: await answer.json() }, { status: 200, body: { milliseconds: 7_200_000 } });
    t.equal((await fetch(`http://127.0.0.1:${port}/api/functions/wait`)).status, 401);
    t.equal(await stopPackage(started.process), 0);
    for (const name of ['functions', 'collections']) rmSync(join(folder, name), { recursive: true });
  });

  await t.test('shows what an upgrade of a database would run, and runs it', async t => {
    const { url, sql } = await createDatabase(t);
    const plan = rowgate(folder, ['migrate', '--plan'], { DATABASE_URL: url });
    t.match(plan, { status: 0, stdout: /^-- What rowgate .*\n\nset role "?\w+"?;\nbegin;\n[^]*\ncommit;\n$/, stderr: '' });
    t.match(rowgate(folder, ['migrate'], { DATABASE_URL: url }),
      { status: 0, stdout: new RegExp(`^${schema.migrations.length} migrations?, \\d+ functions and policies\\.\n$`) });
    const applied = await sql`select number from service.migrations order by number`;
    t.same(applied.map(({ number }) => Number(number)), schema.migrations.map(({ number }) => number));
    t.match(rowgate(folder, ['migrate', '--plan'], { DATABASE_URL: url }),
      { status: 0, stdout: '-- The schema of the service is up to date.\n' });
  });

  for (const [file, given] of [
    ['docker-compose.yml', {}],
    ['docker-compose.production.yml', {
      JWT_SECRET: 'rZ0v8Qm2Lk5Tn7Xw1Yp3Bd6Fg9Hj4SaCe', SERVICE_SERVICE_KEY: 'k3y-Wm8Rt2Zp5Ns7Qx1Vb4Lc6Jd9Fh0Ga',
      CORS_ORIGINS: 'https://app.example.com', DATABASE_URL: 'postgres://named/below', SERVICE_WORKERS: '2',
    }],
  ] as const) {
    await t.test(`starts as a container of ${file} does`, async t => {
      const { url } = await createDatabase(t);
      const port = String(await freePort());
      const env = environmentOf(file, given);
      const example = env['SERVICE_COLLECTIONS_DIR'];
      for (const name of ['SERVICE_COLLECTIONS_DIR', 'SERVICE_CONFIG_FILE']) {
        if (env[name] !== undefined) env[name] = env[name].replace(/^\/app(?=\/)/, installed);
      }
      const started = await startPackage(t, folder, { ...env, DATABASE_URL: url, PORT: port }, /Rowgate is serving|"msg":"serving"/);
      t.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
      const response = await fetch(`http://127.0.0.1:${port}/api/data/products/count`,
        { headers: { authorization: `Bearer ${env['SERVICE_SERVICE_KEY'] ?? ''}` } });
      t.equal(response.status, example === undefined ? 404 : 200);
      t.equal(await stopPackage(started.process), 0);
    });
  }
});

/** The running Node programs that are this file of this folder, as they were called. */
function commandsOf(file: string, folder: string): string[] {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return command.includes(`${folder}/`) && command.includes(file) ? [command] : [];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}
