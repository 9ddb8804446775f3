import { closeSync, existsSync, fsyncSync, openSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isObject, type JsonObject } from '../../json/json-file.ts';
import { readDirectory } from '../read-directory.ts';
import { editedText } from './edited-text.ts';

/** The change of one collection file: its text, undefined where there is no file. */
export type FileEdit = { path: string; name: string; was: string | undefined; text: string | undefined };

/** A collection as its file has it. */
export type Found = { path: string; name: string; definition: JsonObject };

/** The file of a collection; undefined where no file that can be read is of it. */
export function fileOf(folder: string, slug: string): Found | undefined {
  const files = readDirectory(folder, () => undefined)?.collections ?? [];
  for (const { name, value } of files) {
    if (isObject(value) && value['slug'] === slug) return { path: realpathSync(join(folder, name)), name, definition: value };
  }
  return undefined;
}

/**
 * `$schema`, which is for editors, stays unless something else is said of it. A new collection has a file of its name.
 * @throws EditError where another collection, or what cannot be read, has the file of that name.
 */
export function editOf(folder: string, slug: string, found: Found | undefined, definition: JsonObject): FileEdit {
  if (found === undefined) {
    const name = `${slug}.json`;
    const path = join(realpathSync(folder), name);
    if (existsSync(path)) throw new EditError(`${name} is there, and is not the file of ${slug}.`);
    return { path, name, was: undefined, text: `${JSON.stringify(definition, null, 2)}\n` };
  }
  const { path, name, definition: { $schema } } = found;
  const was = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  return { path, name, was, text: editedText(was, { ...($schema !== undefined && { $schema }), ...definition }) };
}

/** A change that the file cannot take. */
export class EditError extends Error {
  override readonly name: string = 'EditError';
}

/** In one step: a concurrent reader of the file finds the one text or the other. */
export function writeEdit({ path, text }: FileEdit): void {
  if (text === undefined) return rmSync(path);
  const beside = besideOf(path, process.pid);
  const file = openSync(beside, 'w', existsSync(path) ? statSync(path).mode : 0o644);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
}

/** Where a process writes what the file is to become. */
export function besideOf(path: string, pid: number): string {
  return join(dirname(path), `.${basename(path)}.${pid}`);
}
