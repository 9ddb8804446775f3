import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isRunning } from '../../process/is-running.ts';
import { besideOf, writeEdit, type FileEdit } from './file-edit.ts';
import { commit, gitFolderOf, isChanged, openRepository, pathIn, restore, type Repository } from './repository.ts';

/** Beside git's own files: the edit in progress, so that the process after a crash can undo it. */
const JOURNAL = 'rowgate-edit.json';

type Journal = { pid: number; path: string };

/**
 * Writes a file and commits it. Either both happen or neither, with undoHalfEdit() even when the process ends in between.
 * @throws GitError for what git, or a hook, refuses. The file is then as it was.
 */
export async function commitEdit(repository: Repository, edit: FileEdit, message: string, author: string): Promise<string> {
  const path = pathIn(repository.root, edit.path);
  const journal = join(repository.gitFolder, JOURNAL);
  writeFileSync(journal, JSON.stringify({ pid: process.pid, path } satisfies Journal));
  try {
    writeEdit(edit);
    return await commit(repository, [path], message, author);
  } catch (error) {
    await restore(repository.root, path);
    throw error;
  } finally {
    rmSync(journal, { force: true });
  }
}

/** Takes back what was written and not committed when its process ended. Returns the file, where there was one. */
export async function undoHalfEdit(folder: string): Promise<string | undefined> {
  const place = gitFolderOf(folder);
  if (place === undefined) return undefined;
  const journal = join(place.gitFolder, JOURNAL);
  if (!existsSync(journal)) return undefined;
  const { pid, path } = JSON.parse(readFileSync(journal, 'utf8')) as Journal;
  if (pid !== process.pid && isRunning(pid)) return undefined;
  const repository = await openRepository(place);
  rmSync(besideOf(join(repository.root, path), pid), { force: true });
  const isHalf = await persistently(async () => {
    const isChangedStill = await isChanged(repository, [path]);
    if (isChangedStill) await restore(repository.root, path);
    return isChangedStill;
  });
  rmSync(journal, { force: true });
  return isHalf ? path : undefined;
}

/** A git that outlived its service may be at work still, and have the index locked. */
async function persistently<T>(work: () => Promise<T>, tries = 5): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (tries === 1) throw error;
    await setTimeout(500);
    return persistently(work, tries - 1);
  }
}
