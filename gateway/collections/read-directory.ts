import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Report } from './form.ts';
import { parseJsonFile } from './json-file.ts';

export const DEFAULTS_FILE = '_defaults.json';

export type File = { name: string; value: unknown };
/** `unreadable` are the names, without `.json`, of files that hold no JSON. */
export type Directory = { collections: File[]; defaults: File | undefined; unreadable: string[] };

/** The JSON files of a directory, in the order of their names; undefined when there is no such directory. */
export function readDirectory(directory: string, report: Report): Directory | undefined {
  if (!existsSync(directory)) return undefined;
  const names = readdirSync(directory, { withFileTypes: true })
    .filter(entry => !entry.isDirectory() && entry.name.endsWith('.json') && !entry.name.startsWith('.'))
    .map(({ name }) => name).sort();
  const files = names.flatMap(name => readFile(directory, name, report));
  return {
    collections: files.filter(({ name }) => name !== DEFAULTS_FILE),
    defaults: files.find(({ name }) => name === DEFAULTS_FILE),
    unreadable: names.filter(name => !files.some(file => file.name === name)).map(name => basename(name, '.json')),
  };
}

function readFile(directory: string, name: string, report: Report): File[] {
  const path = join(directory, name);
  try {
    const parsed = parseJsonFile(readFileSync(path));
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
