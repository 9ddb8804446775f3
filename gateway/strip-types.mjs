// Loaded before everything else where the product runs from its source (`--import`): Node strips the types of a file at every
// start, which is two thirds of the time that starting takes. Here a file is stripped once, until it changes, and what V8 made
// of it is kept as well.
import { mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(import.meta.dirname);
const CACHES = join(ROOT, 'node_modules', '.cache');
const CACHE = join(CACHES, 'stripped');

enableCompileCache(join(CACHES, 'compiled'));

registerHooks({
  load: (url, context, next) =>
    isOurs(url) ? { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true } : next(url, context),
});

function isOurs(url) {
  return url.startsWith('file:') && url.endsWith('.ts') && !relative(ROOT, fileURLToPath(url)).match(/^\.\.|node_modules/);
}

/** A stripped file has the time of its source. */
function stripped(path) {
  const { mtime } = statSync(path);
  const cached = join(CACHE, relative(ROOT, path));
  if (statSync(cached, { throwIfNoEntry: false })?.mtime.getTime() === mtime.getTime()) return readFileSync(cached);
  const source = strip(readFileSync(path, 'utf8'));
  try {
    mkdirSync(dirname(cached), { recursive: true });
    writeFileSync(`${cached}.${process.pid}`, source);
    utimesSync(`${cached}.${process.pid}`, mtime, mtime);
    renameSync(`${cached}.${process.pid}`, cached);
  } catch {
    // An installation that someone else owns is stripped at every start.
  }
  return source;
}

/** Without the warning that the function is an experiment of Node's: the lockfile says which Node it is. */
function strip(source) {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
