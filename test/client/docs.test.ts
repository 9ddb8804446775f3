// Every program of these pages is compiled, run in order against the example store, and prints what its comments say.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';
import ts from 'typescript';
import { blocksOf, filesIn } from '../docs/markdown.ts';
import { matchesText } from '../docs/matches.ts';
import { ROOT } from '../harness/server.ts';
import { createService, SERVICE_KEY } from '../harness/service.ts';
import { checker } from './compiler.ts';

/** A page's file for the compiler, beside its programs. */
const SETTINGS = 'tsconfig.json';

/** Programs of the later ones import `db.ts` of the first. */
const PAGES = ['docs/client.md', 'docs/from-supabase-js.md', 'docs/from-pocketbase.md', 'README.md', 'client/README.md'];

const run = promisify(execFile);

const ENTRIES = {
  '.': './src/index.ts', './realtime': './src/realtime/realtime.ts', './uploads': './src/uploads.ts',
  './query': './src/query-options.ts',
};
const PEERS = ['tus-js-client', '@tanstack'];

test('every program of the pages about the client compiles and prints what it says', async t => {
  const folder = join(t.testdir({ functions: {} }), 'client');
  mkdirSync(join(folder, 'node_modules/@rowgate/client'), { recursive: true });
  symlinkSync(join(ROOT, 'client/src'), join(folder, 'node_modules/@rowgate/client/src'));
  writeFileSync(join(folder, 'node_modules/@rowgate/client/package.json'), JSON.stringify({ type: 'module', exports: ENTRIES }));
  for (const peer of PEERS) symlinkSync(join(ROOT, 'node_modules', peer), join(folder, 'node_modules', peer), 'dir');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(folder, 'rowgate.types.ts'), readFileSync(join(import.meta.dirname, 'store.types.ts')));
  const blocks = PAGES.flatMap(page => blocksOf(readFileSync(join(ROOT, page), 'utf8')));
  const functions = filesIn(blocks, 'functions').map(({ name, text }) => ({ file: join(folder, '../functions', name), text }));
  for (const { file, text } of functions) writeFileSync(file, text);
  const service = await createService(t, { env: {
    ALLOW_REGISTRATION: 'true', STORAGE_PATH: join(folder, 'uploads'), SERVICE_FUNCTIONS_DIR: join(folder, '../functions'),
  } });
  const programs = filesIn(blocks, 'client').filter(({ name }) => name !== SETTINGS)
    .map(({ name, text }) => ({ file: join(folder, name), name, text: text.replaceAll('http://localhost:3001', service.address) }));
  t.ok(programs.length > 5);
  for (const { file, text } of programs) writeFileSync(file, text);
  const compiled = programs.map(({ file }) => file).filter(file => file.endsWith('.ts'));
  t.same(checker([...compiled, ...functions.map(({ file }) => file)]).complaints, []);
  const settings = filesIn(blocks, 'client').find(({ name }) => name === SETTINGS)?.text ?? '';
  const { options, errors } = ts.parseJsonConfigFileContent(JSON.parse(settings), ts.sys, folder);
  t.same(errors, []);
  t.same(checker(compiled, options).complaints, [], 'with the tsconfig.json of the page');
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'client/package.json'), 'utf8')) as { exports: { '.': { default: string } } };
  const entry = join('/node_modules/@rowgate/client', exports['.'].default);
  t.ok(readFileSync(join(ROOT, 'docs/client.md'), 'utf8').includes(`"@rowgate/client": "${entry}"`), 'the import map leads to the entry');
  for (const { file, name, text } of programs) {
    const { stdout } = await run(process.execPath, ['--import', join(ROOT, 'gateway/strip-types.mjs'), file],
      { cwd: folder, env: { ...process.env, TOKEN: SERVICE_KEY } });
    const expected = [...text.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, said = '']) => said);
    const printed = stdout.split('\n').slice(0, -1);
    t.equal(printed.length, expected.length, name);
    for (const [i, said] of expected.entries()) t.ok(matchesText(printed[i] ?? '', said), `${name}: ${printed[i] ?? ''} is ${said}`);
  }
});
