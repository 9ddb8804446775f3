import { createHash } from 'node:crypto';
import { chmodSync, chownSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isReachable, ownerOf, serverAccount, type Account } from './embedded-account.ts';
import { installedBinaries, program, type Binaries } from './embedded-binaries.ts';
import { EmbeddedServerError } from './embedded-error.ts';
import { type EmbeddedLog } from './embedded-log.ts';

/** Where the server runs: the folder of its data (no symbolic links in the path), its programs, and as whom if not as us. */
export type Place = { folder: string; binaries: Binaries; account: Account | undefined };

/** Holds what a project below a private folder keeps for its server; see `elsewhere`. */
const SHARED_ROOT = '/var/lib/rowgate';

/** Decides the place for `dir` and makes the folder. @throws EmbeddedServerError */
export function findPlace(dir: string, log: EmbeddedLog): Place {
  mkdirSync(dirname(dir), { recursive: true });
  const path = join(realpathSync(dirname(resolve(dir))), basename(dir));
  return process.getuid?.() === 0 ? placeForRoot(path, log) : placeForUser(path);
}

function placeForUser(path: string): Place {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid } = statSync(path);
  if (uid !== process.getuid?.()) {
    throw new EmbeddedServerError(`The database in ${path} belongs to another user (uid ${uid}): start as that user or as root, or move the folder away.`);
  }
  return { folder: realpathSync(path), binaries: installedBinaries(), account: undefined };
}

function placeForRoot(path: string, log: EmbeddedLog): Place {
  const account = accountFor(path);
  const folder = folderFor(path, account);
  const binaries = binariesFor(path, account);
  if (folder !== path || binaries.folder.startsWith(SHARED_ROOT)) {
    log.info(`PostgreSQL does not run as root and its user may not enter ${dirname(path)}: it works in ${elsewhere(path)}, and ${path} links there.`);
  }
  return { folder, binaries, account };
}

/** Data that an ordinary user made stays that user's when root starts the server. */
function accountFor(path: string): Account {
  return existsSync(path) ? ownerOf(path) ?? serverAccount() : serverAccount();
}

function folderFor(path: string, account: Account): string {
  const stored = existsSync(path) ? realpathSync(path) : undefined;
  if (stored && isReachable(dirname(stored), account)) return own(stored, account);
  if (isReachable(dirname(path), account)) return own(path, account);
  if (stored && existsSync(join(stored, 'data'))) {
    throw new EmbeddedServerError(`The database in ${stored} lies below a folder that its owner (uid ${account.uid}) may not enter: move it to where it was, or open the way.`);
  }
  return linkElsewhere(path, account);
}

/**
 * The server's user cannot enter a project below a private folder, such as /root, and that folder is not ours to open:
 * the data lives where the system keeps such data, in a folder of this project alone.
 */
function elsewhere(path: string): string {
  return join(SHARED_ROOT, createHash('sha256').update(path).digest('hex').slice(0, 16));
}

function linkElsewhere(path: string, account: Account): string {
  const folder = own(join(open(elsewhere(path)), 'postgres'), account);
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(path);
  rmSync(path, { force: true }); // a link whose target was deleted
  symlinkSync(folder, path);
  return folder;
}

function binariesFor(path: string, account: Account): Binaries {
  const installed = installedBinaries();
  const real = realpathSync(installed.folder);
  if ([program(installed, 'postgres'), join(real, 'lib'), join(real, 'share')].every(part => isReachable(realpathSync(part), account))) return installed;
  return copyOnce(installed, join(open(elsewhere(path)), `binaries-${installed.version}`));
}

function copyOnce(binaries: Binaries, folder: string): Binaries {
  if (!existsSync(folder)) {
    const copy = mkdtempSync(`${folder}-`); // renamed when whole, so that an interrupted copy is never used
    cpSync(binaries.folder, copy, { recursive: true, verbatimSymlinks: true, filter: source => !source.endsWith('.a') });
    letEveryoneRead(copy);
    renameSync(copy, folder);
  }
  return { ...binaries, folder };
}

/** The copy inherits the modes of an installation that perhaps only root may read. */
function letEveryoneRead(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}

/** Makes a folder of ours that everyone may enter, whatever the umask. */
function open(folder: string): string {
  for (const made of [dirname(folder), folder]) {
    mkdirSync(made, { recursive: true });
    chmodSync(made, 0o755);
  }
  return folder;
}

function own(folder: string, account: Account): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chownSync(folder, account.uid, account.gid);
  return folder;
}
