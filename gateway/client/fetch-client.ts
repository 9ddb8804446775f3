import { execFile } from 'node:child_process';
import { accessSync, constants, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { fetchDebianPackages } from '../embedded/embedded.ts';
import { makeDataFolder } from '../process/data-folder.ts';

const execute = promisify(execFile);

const SUITES: Partial<Record<number, string>> = { 17: 'trixie' };

/** The release of Debian that has the client of a major version. */
export function suiteOf(major: number): string | undefined {
  return SUITES[major];
}

/** The programs, and every library that they load: they run whatever this system has. */
const LIBRARIES = [
  'libpq5', 'libc6', 'libssl3t64', 'zlib1g', 'liblz4-1', 'libzstd1', 'libxxhash0', 'libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3',
  'libcom-err2', 'libkrb5support0', 'libkeyutils1', 'libldap2', 'libsasl2-2', 'libreadline8t64', 'libtinfo6',
];
const PROGRAMS = ['pg_dump', 'pg_dumpall', 'pg_restore', 'psql'];

/** Beside the program where that folder can be written, so that all projects share it; else in the project. */
const SHARED = resolve(import.meta.dirname, '../..');

/**
 * Debian's client of that major version: a folder with its programs. Fetched once, unpacked and not installed; no rights are needed.
 * @throws where Debian has none, or this system has no apt, no source of Debian packages, or no network
 */
export async function fetchClient(major: number): Promise<string> {
  const suite = suiteOf(major);
  if (suite === undefined) throw new Error(`Debian's client of PostgreSQL ${major} is not known here`);
  const folder = join(isWritable(SHARED) ? SHARED : '.', '.data', `client-${major}`);
  if (existsSync(folder)) return join(resolve(folder), 'bin');
  makeDataFolder(dirname(folder));
  const work = mkdtempSync(join(dirname(folder), 'making-'));
  try {
    await fetchDebianPackages(work, { suite, binary: [`postgresql-client-${major}`, ...LIBRARIES] });
    for (const file of globSync(join(work, '*.deb'))) await execute('dpkg-deb', ['-x', file, join(work, 'root')]);
    assemble(join(work, 'root'), major, join(work, 'made'));
    if (!existsSync(folder)) renameSync(join(work, 'made'), folder); // else another process was faster
    return join(resolve(folder), 'bin');
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** `bin` has scripts: each runs its program with the loader and the libraries that were fetched with it. */
function assemble(root: string, major: number, made: string): void {
  for (const part of ['bin', 'programs']) mkdirSync(join(made, part), { recursive: true });
  const [loader = ''] = globSync(join(root, 'usr/lib/*/ld-linux-*.so.*'));
  cpSync(dirname(loader), join(made, 'lib'), { recursive: true, verbatimSymlinks: true });
  for (const name of PROGRAMS) {
    cpSync(join(root, `usr/lib/postgresql/${major}/bin/${name}`), join(made, 'programs', name));
    writeFileSync(join(made, 'bin', name), script(name, basename(loader)), { mode: 0o755 });
  }
}

/** pg_dumpall looks for pg_dump beside the path that it is told to be its own. */
function script(name: string, loader: string): string {
  return [
    '#!/bin/sh',
    'bin=$(dirname "$(readlink -f "$0")")',
    `exec "$bin/../lib/${loader}" --argv0 "$bin/${name}" --library-path "$bin/../lib" "$bin/../programs/${name}" "$@"`,
    '',
  ].join('\n');
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
