import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ASIDE } from './paths.ts';
import { isGone } from '../../process/process-name.ts';
import { ifThere } from './refusal.ts';
import { settle } from './replace.ts';
import { settleLeft, LOCK } from './key-lock.ts';

/** Milliseconds since the last write after which a file of another machine's process counts as abandoned. */
const ABANDONED = 24 * 60 * 60 * 1000;

/** Finishes or undoes what processes left that ended without an end: first what they had begun to put in place, then what lies aside. */
export async function clean(root: string): Promise<void> {
  const folder = join(root, ASIDE);
  const names = await ifThere(readdir(folder)) ?? [];
  for (const name of names.filter(name => name.endsWith(LOCK))) await settleLeft(join(folder, name), left => settle(root, left));
  for (const name of names.filter(name => !name.endsWith(LOCK))) {
    const path = join(folder, name);
    const stats = await ifThere(lstat(path));
    if (stats !== undefined && (isGone(name) ?? Date.now() - stats.mtimeMs > ABANDONED)) await ifThere(unlink(path));
  }
}
