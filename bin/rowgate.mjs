#!/usr/bin/env -S node --max-semi-space-size=8
// Plain JavaScript for whatever Node there is: the HTTP server has binaries for Node 22, so under another one this runs
// the Node 22 that the package brings. A small young generation: a tenth less memory under load, for hardly more CPU time.
/* eslint-disable @typescript-eslint/no-unsafe-argument -- nothing here has types */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NODE_22 = '127';
const at = path => new URL(path, import.meta.url);
const BUILT = at('../dist/cli.js');
/** A checkout that was not built runs from its source. */
const [PRELOADS, CLI] = existsSync(BUILT) ? [[], BUILT] : [[at('../gateway/strip-types.mjs')], at('../gateway/cli.ts')];

if (process.versions.modules === NODE_22) for (const { href } of [...PRELOADS, CLI]) await import(href);
else runUnder(ownNode());

function ownNode() {
  const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', 'node');
  if (spawnSync(node, ['-v']).status === 0) return node;
  console.error(`rowgate runs on Node 22, and this is ${process.version}. npm has not made the one that comes with rowgate, because it `
    + `was told to run no install scripts: npm rebuild node --ignore-scripts=false`);
  process.exit(1);
}

/** Each signal is passed on once: a terminal sends Ctrl-C to the other process as well. */
function runUnder(node) {
  const preloads = PRELOADS.flatMap(({ href }) => ['--import', href]);
  const child = spawn(node, ['--max-semi-space-size=8', ...preloads, fileURLToPath(CLI), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    let isPassed = false;
    process.on(signal, () => {
      if (!isPassed) child.kill(signal);
      isPassed = true;
    });
  }
  child.on('error', error => { throw error; });
  child.on('close', (code, signal) => {
    if (signal === null) return process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
