import {
  chownSync, existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, rmdirSync, statSync, symlinkSync, writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { BootError } from '../error.ts';
import { makeDataFolder } from '../process/data-folder.ts';
import { isReachable, ownerOf, serverAccount, type Account } from './account.ts';
import { installedBinaries, program, type Binaries, type Release } from './binaries.ts';
import { copyBinaries, elsewhere } from './elsewhere.ts';
import type { EmbeddedLog } from './server-log.ts';

/** The place of the server: the folder of its data (no symbolic links in the path), its programs, and its account if it is not ours. */
export type Place = { folder: string; binaries: Binaries; account: Account | undefined };

/** Decides the place for `dir` and makes the folder. @throws BootError */
export function findPlace(dir: string, log: EmbeddedLog, release?: Release): Place {
  try {
    makeDataFolder(dirname(dir));
    const path = join(realpathSync(dirname(resolve(dir))), basename(dir));
    const installed = installedBinaries(release);
    return process.getuid?.() === 0 ? placeForRoot(path, installed, log) : placeForUser(path, installed);
  } catch (cause) {
    if (!UNWRITABLE.has((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new BootError(`The database cannot be kept in ${resolve(dir)}: ${(cause as Error).message}.`, { cause });
  }
}

/** Writes a small file into the place's folder, whole or not at all, for the server's user alone. */
export function keepFile(place: Place, name: string, text: string): void {
  const file = join(place.folder, name);
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  if (place.account) chownSync(`${file}.new`, place.account.uid, place.account.gid);
  renameSync(`${file}.new`, file);
}

const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR']);

function placeForUser(path: string, binaries: Binaries): Place {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid } = statSync(path);
  if (uid !== process.getuid?.()) {
    throw new BootError(`The database in ${path} belongs to another user (uid ${uid}): `
      + 'start as that user or as root, or move the folder away.');
  }
  return { folder: realpathSync(path), binaries, account: undefined };
}

function placeForRoot(path: string, installed: Binaries, log: EmbeddedLog): Place {
  const account = accountFor(path);
  const folder = folderFor(path, account);
  const binaries = binariesFor(installed, account);
  if (folder !== path) {
    log.info(`PostgreSQL does not run as root, and its user may not enter ${dirname(path)}: `
      + `the data is in ${folder}, and ${path} links there.`);
  }
  return { folder, binaries, account };
}

/** Data that an ordinary user made stays that user's when root starts the server. */
function accountFor(path: string): Account {
  return existsSync(path) ? ownerOf(path) ?? serverAccount() : serverAccount();
}

function folderFor(path: string, account: Account): string {
  const stored = existsSync(path) ? realpathSync(path) : path;
  if (isReachable(dirname(stored), account)) return own(stored, account);
  if (existsSync(join(stored, 'data'))) {
    throw new BootError(`The database in ${stored} lies below a folder that its owner (uid ${account.uid}) may not enter: `
      + 'move it back to where it was, or open the way.');
  }
  return linkElsewhere(path, account);
}

function linkElsewhere(path: string, account: Account): string {
  const folder = own(join(elsewhere(path), 'postgres'), account);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(path);
  rmSync(path, { force: true }); // a link whose target was deleted
  symlinkSync(folder, path);
  return folder;
}

function own(folder: string, account: Account): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chownSync(folder, account.uid, account.gid);
  return folder;
}

function binariesFor(installed: Binaries, account: Account): Binaries {
  const source = realpathSync(installed.folder);
  const parts = [program(installed, 'postgres'), join(source, 'lib/postgresql'), join(source, 'share/postgresql')];
  return parts.every(part => isReachable(realpathSync(part), account)) ? installed : copyBinaries(installed, source);
}
