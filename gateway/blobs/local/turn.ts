import { hash } from 'node:crypto';
import { lstat, readlink, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Place } from '../store.ts';
import { ASIDE } from './paths.ts';
import { isGone, ownName } from '../../process/process-name.ts';
import { codeOf, ifThere } from './refusal.ts';

/** What somebody is about to do with a key: the file that is to take its place, from the root; none: it goes. */
export type Intent = Place & { by: string; file?: string };

/** Milliseconds. Nobody needs as long for two renames, and who is on another machine cannot be asked. */
const LONGEST = 10_000;

export const TURN = '.turn';
const SETTLING = '.settling';

type Settle = (left: Intent) => Promise<void>;

/**
 * Does something with a key's two files that nobody may come between, on any process that shares the disk. A symbolic link is the lock:
 * made and read in one step, never half written, and in the journal of the file system before the renames that follow it.
 * @param settle finishes or undoes what somebody began whose turn has run out
 */
export async function inTurn<T>(root: string, intent: Omit<Intent, 'by'>, settle: Settle, work: () => Promise<T>): Promise<T> {
  const path = turnPath(root, intent);
  const text = JSON.stringify({ ...intent, by: ownName() });
  for (let wait = 1; !await takes(path, text); wait = Math.min(2 * wait, 32)) {
    if (!await settleLeft(path, settle)) await setTimeout(wait * Math.random());
  }
  try {
    return await work();
  } finally {
    if (await ifThere(readlink(path)) === text) await unlink(path);
  }
}

export function turnPath(root: string, { bucket, key }: Place): string {
  return join(root, ASIDE, hash('sha256', `${bucket}/${key}`) + TURN);
}

async function takes(path: string, text: string): Promise<boolean> {
  try {
    await symlink(text, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Whether nobody has this turn any more. One of several that see it run out settles what was begun. */
export async function settleLeft(path: string, settle: Settle): Promise<boolean> {
  const left = await heldSince(path);
  if (left === undefined) return true;
  if (!hasRunOut(left)) return false;
  const settling = path + SETTLING;
  if (!await takes(settling, JSON.stringify({ by: ownName() }))) {
    const other = await heldSince(settling);
    if (other !== undefined && hasRunOut(other)) await ifThere(unlink(settling));
    return false;
  }
  try {
    if ((await heldSince(path))?.text !== left.text) return true;
    await settle(JSON.parse(left.text) as Intent);
    await unlink(path);
    return true;
  } finally {
    await unlink(settling);
  }
}

type Held = { text: string; since: number };

async function heldSince(path: string): Promise<Held | undefined> {
  const [text, stats] = await Promise.all([ifThere(readlink(path)), ifThere(lstat(path))]);
  return text === undefined || stats === undefined ? undefined : { text, since: stats.mtimeMs };
}

function hasRunOut({ text, since }: Held): boolean {
  const { by } = JSON.parse(text) as Pick<Intent, 'by'>;
  return isGone(by) === true || Date.now() - since > LONGEST;
}
