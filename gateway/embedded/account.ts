import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { BootError } from '../error.ts';

/** The account that runs the server when we are root, which PostgreSQL refuses. */
export type Account = { uid: number; gid: number };

const NAMES = ['postgres', 'rowgate'];

/** The system's `postgres` user, else one of our own, made on first need. @throws BootError */
export function serverAccount(): Account {
  const known = NAMES.map(lookUp).find(account => account !== undefined);
  return known ?? create('rowgate');
}

/** The owner of an existing folder, unless that is root. */
export function ownerOf(path: string): Account | undefined {
  const { uid, gid } = statSync(path);
  return uid === 0 ? undefined : { uid, gid };
}

/** Whether the account may read the file or folder at a path without symbolic links: each folder above must let it pass. */
export function isReachable(path: string, account: Account): boolean {
  return grants(path, account, 0o5) && foldersAbove(path).every(folder => grants(folder, account, 0o1));
}

function grants(path: string, account: Account, wanted: number): boolean {
  const { mode, uid, gid } = statSync(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

function foldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
}

function lookUp(name: string): Account | undefined {
  try {
    const ask = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    const account = { uid: ask('-u'), gid: ask('-g') };
    return account.uid > 0 ? account : undefined;
  } catch {
    return undefined; // no such user
  }
}

function create(name: string): Account {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', name], { stdio: 'ignore' });
  } catch (cause) {
    throw new BootError(`PostgreSQL does not run as root, and no user for it could be made: create a user named ${name}, `
      + 'or start as an ordinary user.', { cause });
  }
  const account = lookUp(name);
  if (!account) throw new BootError(`PostgreSQL does not run as root, and the user ${name} that was made for it is not found.`);
  return account;
}
