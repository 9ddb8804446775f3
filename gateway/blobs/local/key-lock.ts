import { hash } from 'node:crypto';
import { lstat, readlink, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Place } from '../store.ts';
import { ASIDE } from './paths.ts';
import { isGone, ownName } from '../../process/process-name.ts';
import { codeOf, ifThere } from './refusal.ts';

/** The change of a key that is about to happen: the file that replaces it, from the root; none for a removal. */
export type Intent = Place & { by: string; file?: string };

/** Milliseconds. Two renames never take as long, and a process on another machine cannot be checked. */
const LONGEST = 10_000;

export const LOCK = '.lock';
const SETTLING = '.settling';

type Settle = (left: Intent) => Promise<void>;

/**
 * Changes the two files of a key under a lock that all processes sharing the disk respect. The lock is a symbolic link: created and read in
 * one step, never half written, and in the journal of the file system before the renames that follow it.
 * @param settle finishes or undoes the change of a holder whose lock has expired
 */
export async function withKeyLock<T>(root: string, intent: Omit<Intent, 'by'>, settle: Settle, work: () => Promise<T>): Promise<T> {
  const path = lockPath(root, intent);
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

export function lockPath(root: string, { bucket, key }: Place): string {
  return join(root, ASIDE, hash('sha256', `${bucket}/${key}`) + LOCK);
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

/** Whether the lock is free. The first of several that find it expired settles the change that was begun. */
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
