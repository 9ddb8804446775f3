import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'tap';
import { ROOT } from '../harness/server.ts';

const TEXT = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

/** Names in backticks that are paths from the root: with a slash, in a folder that is there. */
const paths = [...TEXT.matchAll(/`((?:gateway|sql|policies|migrations|test|bench|docs)\/[\w/.-]*)`/g)].map(([, path = '']) => path);

test('each path that ARCHITECTURE.md names is there', t => {
  t.ok(paths.length > 20);
  for (const path of new Set(paths)) t.ok(existsSync(join(ROOT, path)), path);
  t.end();
});

test('ARCHITECTURE.md names every folder of gateway/ and sql/', t => {
  for (const root of ['gateway', 'sql']) {
    const folders = readdirSync(join(ROOT, root), { withFileTypes: true }).filter(entry => entry.isDirectory()).map(({ name }) => name);
    for (const folder of folders) t.ok(TEXT.includes(`\`${folder}/\``) || TEXT.includes(`\`${root}/${folder}/\``), `${root}/${folder}`);
  }
  t.end();
});

test('no two files of sql/ have one name: a function is found by it', t => {
  const paths = readdirSync(join(ROOT, 'sql'), { recursive: true, encoding: 'utf8' });
  const names = paths.filter(path => path.endsWith('.sql')).map(path => basename(path));
  t.same(names.filter((name, i) => names.indexOf(name) !== i), []);
  t.end();
});

test('each answer of "Where to find" is a path from the root', t => {
  const table = TEXT.slice(TEXT.indexOf('## Where to find'), TEXT.indexOf('## Glossary'));
  const named = [...table.matchAll(/`([\w/.-]*(?:\/|\.sql|\.ts)[\w/.-]*)`/g)].map(([, path = '']) => path);
  t.ok(named.length > 10);
  for (const path of named) t.ok(existsSync(join(ROOT, path)), path);
  t.end();
});

test('each link of ARCHITECTURE.md and CONTRIBUTING.md leads to a file', t => {
  for (const name of ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md']) {
    const links = [...readFileSync(join(ROOT, name), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, path = '']) => path);
    for (const link of links) t.ok(existsSync(join(ROOT, link)), `${name}: ${link}`);
  }
  t.end();
});
