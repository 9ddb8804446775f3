import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Report } from '../json/form.ts';
import { parseJsonFile } from '../json/json-file.ts';

export const DEFAULTS_FILE = '_defaults.json';

export type File = { name: string; value: unknown };
/** `unreadable` are the names, without `.json`, of files that hold no JSON. */
export type Directory = { collections: File[]; defaults: File | undefined; unreadable: string[] };

/** Texts of files as they would be, by their names; undefined for one that would be gone. */
export type Instead = ReadonlyMap<string, string | undefined>;

/** The JSON files of a directory, in the order of their names; undefined when there is no such directory. */
export function readDirectory(directory: string, report: Report, instead: Instead = new Map()): Directory | undefined {
  if (!existsSync(directory)) return undefined;
  const there = readdirSync(directory, { withFileTypes: true })
    .filter(entry => !entry.isDirectory() && entry.name.endsWith('.json') && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  const names = [...new Set([...there, ...instead.keys()])].filter(name => !instead.has(name) || instead.get(name) !== undefined).sort();
  const files = names.flatMap(name => readFile(directory, name, report, instead.get(name)));
  return {
    collections: files.filter(({ name }) => name !== DEFAULTS_FILE),
    defaults: files.find(({ name }) => name === DEFAULTS_FILE),
    unreadable: names.filter(name => !files.some(file => file.name === name)).map(name => basename(name, '.json')),
  };
}

function readFile(directory: string, name: string, report: Report, instead: string | undefined): File[] {
  try {
    const parsed = parseJsonFile(instead === undefined ? readFileSync(join(directory, name)) : Buffer.from(instead));
    if ('value' in parsed) return [{ name, value: parsed.value }];
    for (const problem of parsed.problems) {
      const [place = '', ...words] = problem.split(': ');
      report(`${basename(directory)}/${name}:${place}`, words.join(': '));
    }
  } catch (error) {
    report(`${basename(directory)}/${name}`, `cannot be read: ${(error as Error).message}`);
  }
  return [];
}
