import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { BootError } from '../error.ts';

/** The package, compiled or not. */
const ROOT = resolve(import.meta.dirname, '../..');

/** The service's own: tables, types and data, each file once. */
export const MIGRATIONS = join(ROOT, 'migrations');

/** The SQL that keeps which migrations and sources a database has. */
export const HISTORY = readFileSync(join(MIGRATIONS, 'history.sql'), 'utf8');

export type Migration = { number: number; name: string; hash: string; previous: string; body: string };

/** Text that is installed again when it changes: a function, or a table's row security. */
export type Source = { path: string; text: string; hash: string };

export type SchemaFiles = { migrations: Migration[]; sources: Source[] };

export function readSchema(): SchemaFiles {
  return { migrations: readMigrations(), sources: readSources() };
}

/** The committed files, whose names, hashes and order must form one unbroken chain; the service's, if no other folder is named. */
export function readMigrations(folder = join(MIGRATIONS, 'committed')): Migration[] {
  const migrations: Migration[] = [];
  for (const name of readdirSync(folder).filter(file => file.endsWith('.sql')).sort()) {
    migrations.push(readMigration(folder, name, migrations.length + 1, migrations.at(-1)?.hash ?? '-'));
  }
  if (migrations.length === 0) throw new BootError(`There are no migrations in ${folder}: the installation is not whole.`);
  return migrations;
}

/** The header is the one that graphile-migrate writes on commit. */
function readMigration(folder: string, name: string, number: number, previousHash: string): Migration {
  const text = readFileSync(join(folder, name), 'utf8');
  const header = /^--! Previous: (\S+)\n--! Hash: (\S+)\n\n/.exec(text);
  const [all, previous = '', hash = ''] = header ?? [];
  const body = text.slice(all?.length ?? 0).trim();
  const broken = Number.parseInt(name, 10) !== number || previous !== previousHash || hash !== hashOf(body, previous);
  if (broken) {
    throw new BootError(`Migration file ${name} was changed or is out of place: its hash, its number or its predecessor is wrong.`);
  }
  return { number, name, hash, previous, body };
}

function hashOf(body: string, previous: string): string {
  const content = `${previous === '-' ? '' : previous}\n${body}`.trim();
  return `sha1:${createHash('sha1').update(`${content}\n`).digest('hex')}`;
}

function readSources(): Source[] {
  const functions = readFolder('sql');
  if (functions.length === 0) throw new BootError(`There is no SQL in ${join(ROOT, 'sql')}: the installation is not whole.`);
  return [...functions, ...readFolder('policies')];
}

/** By their paths, with a slash on every system. */
function readFolder(folder: string): Source[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.sql'));
  return files.map(file => `${folder}/${file.replaceAll(sep, '/')}`).sort().map(path => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return { path, text, hash: createHash('sha256').update(text).digest('hex') };
  });
}

/** The name of the function that a file defines, if it defines one. */
export function functionOf({ text }: Pick<Source, 'text'>): string | undefined {
  return /^create or replace function service(?:_private)?\.(\w+)\(/m.exec(text)?.[1];
}

/** An order in which each can be created: what a function calls comes before it, row security last. */
export function inOrder<Of extends Source>(sources: Of[]): Of[] {
  const functions = sources.filter(source => functionOf(source) !== undefined);
  const byName = new Map(functions.map(source => [functionOf(source), source]));
  const ordered = new Set<Of>();
  const visit = (source: Of, above: Of[]): void => {
    if (ordered.has(source)) return;
    if (above.includes(source)) {
      throw new Error(`These functions need each other when they are created: ${above.map(({ path }) => path).join(', ')}`);
    }
    for (const name of neededNames(source.text)) {
      const needed = byName.get(name);
      if (needed !== undefined && needed !== source) visit(needed, [...above, source]);
    }
    ordered.add(source);
  };
  for (const source of functions) visit(source, []);
  return [...ordered, ...sources.filter(source => functionOf(source) === undefined)];
}

/** PL/pgSQL looks up what it calls when it runs; what an SQL body calls must be there when it is created. */
function neededNames(text: string): string[] {
  const code = text.replaceAll(/^--.*$/gm, '').replaceAll(/^comment on [^;]*?;\n/gms, '').replaceAll(/\$\$.*?\$\$/gs, '');
  return [...code.matchAll(/service(?:_private)?\.(\w+)(?:\s*\(|'::regproc\b)/g)].map(([, name = '']) => name);
}
