import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

/** A git repository, by its topmost folder. A branch there is unless HEAD is detached. */
export type Repository = { root: string; gitFolder: string; branch: string | undefined };

/** An error of git; `missing`: git is not installed. */
export class GitError extends Error {
  override readonly name: string = 'GitError';
  readonly missing: boolean;

  constructor(message: string, missing: boolean, options?: ErrorOptions) {
    super(message, options);
    this.missing = missing;
  }
}

/** Milliseconds, with the hooks of the repository. */
const PATIENCE = 60_000;
const run = promisify(execFile);

/** The variables that git and the hooks of a repository see: no secrets, and no repository but the named one. */
const SHOWN = ['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'XDG_CONFIG_HOME'];

/** The root of the repository that a folder lies in, and the folder of git's own files; undefined outside a repository. Runs no git. */
export function gitFolderOf(folder: string): { root: string; gitFolder: string } | undefined {
  const found = join(folder, '.git');
  if (!existsSync(found)) return dirname(folder) === folder ? undefined : gitFolderOf(dirname(folder));
  return { root: folder, gitFolder: linkedFrom(found) ?? found };
}

/** In a further work tree or a submodule, `.git` is a file that names the folder. */
function linkedFrom(found: string): string | undefined {
  try {
    const [, target] = /^gitdir: (.*)$/m.exec(readFileSync(found, 'utf8')) ?? [];
    return target === undefined ? undefined : resolve(dirname(found), target);
  } catch {
    return undefined;
  }
}

/** @throws GitError where git is missing, or does not take the repository for one of this user. */
export async function openRepository(place: { root: string; gitFolder: string }): Promise<Repository> {
  await git(place.root, 'rev-parse', '--git-dir');
  const branch = await git(place.root, 'symbolic-ref', '--quiet', '--short', 'HEAD').catch(() => '');
  return { ...place, branch: branch === '' ? undefined : branch };
}

/** Whether one of the files differs from what is committed, or is not committed at all. */
export async function isChanged({ root }: Repository, paths: string[]): Promise<boolean> {
  return await git(root, 'status', '--porcelain', '--ignored', '--', ...paths) !== '';
}

export function headOf({ root }: Repository): Promise<string> {
  return git(root, 'rev-parse', 'HEAD');
}

/** Commits only these files, regardless of the index. Returns the hash. @throws GitError, also for the refusal of a hook. */
export async function commit(repository: Repository, paths: string[], message: string, author: string): Promise<string> {
  const { root } = repository;
  const name = author.replaceAll(/[<>\p{Cc}]/gu, '') || 'unknown';
  const identity = ['-c', `user.name=${name}`, '-c', 'user.email=rowgate@localhost', '-c', 'commit.gpgSign=false'];
  await git(root, 'add', '--', ...paths);
  await git(root, ...identity, 'commit', '--quiet', '--cleanup=whitespace', '-m', message, '--only', '--', ...paths);
  return headOf(repository);
}

/** Restores a file to its committed state; removes one that was never committed. */
export async function restore(root: string, path: string): Promise<void> {
  const isCommitted = await git(root, 'cat-file', '-e', `HEAD:${path}`).then(() => true, () => false);
  if (isCommitted) {
    await git(root, 'checkout', '--quiet', 'HEAD', '--', path);
  } else {
    await git(root, 'rm', '--quiet', '--cached', '--force', '--ignore-unmatch', '--', path);
    rmSync(join(root, path), { force: true });
  }
}

/** As git writes it. */
export function pathIn(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

async function git(root: string, ...args: string[]): Promise<string> {
  const shown = SHOWN.flatMap(name => process.env[name] === undefined ? [] : [[name, process.env[name]]]);
  const env = { ...Object.fromEntries(shown) as NodeJS.ProcessEnv, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C.UTF-8' };
  try {
    const { stdout } = await run('git', ['--literal-pathspecs', '-C', root, ...args], { env, timeout: PATIENCE, maxBuffer: 2 ** 26 });
    return stdout.trim();
  } catch (error) {
    const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string };
    if (code === 'ENOENT') throw new GitError('git is not installed.', true, { cause: error });
    throw new GitError((stderr ?? '').trim() || message, false, { cause: error });
  }
}
