import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Listed } from '../store.ts';
import { SIDECAR } from './paths.ts';
import { ifThere } from './refusal.ts';
import { isInside } from './replace.ts';

/** Begins a `next`, so that other texts are known as foreign. */
const MARK = 'after:';

/** In the order of a bucket's keys, a folder with its slash: pages stay pages when files come and go. */
export async function list(root: string, bucket: string, prefix: string, limit: number, after?: string): Promise<Listed> {
  const last = after === undefined ? '' : nameOf(after);
  const folder = join(root, bucket, prefix, '.').replace(/\/$/, '');
  if (!await isInside(root, folder)) return { keys: [], prefixes: [] };
  const entries = await ifThere(readdir(folder, { withFileTypes: true })) ?? [];
  const names = entries.map(shownName).filter(name => name !== undefined && name > last).sort() as string[];
  const page = names.slice(0, limit);
  return {
    keys: page.filter(name => !name.endsWith('/')).map(name => prefix + name),
    prefixes: page.filter(name => name.endsWith('/')).map(name => prefix + name),
    ...(names.length > limit && { next: Buffer.from(MARK + (page.at(-1) ?? '')).toString('base64url') }),
  };
}

/** The name to show: files and folders; other kinds of entries are left out. */
function shownName(entry: Dirent): string | undefined {
  if (entry.isDirectory()) return `${entry.name}/`;
  return entry.isFile() && !entry.name.endsWith(SIDECAR) ? entry.name : undefined;
}

function nameOf(after: string): string {
  const text = Buffer.from(after, 'base64url').toString();
  const isOurs = text.startsWith(MARK) && text !== MARK && Buffer.from(text).toString('base64url') === after;
  if (!isOurs) throw new RangeError('It is no next of a list.');
  return text.slice(MARK.length);
}
