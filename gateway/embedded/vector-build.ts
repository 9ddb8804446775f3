import { execFile } from 'node:child_process';
import {
  accessSync, constants, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installedBinaries, type Binaries } from './binaries.ts';
import { besides, fetchDebianPackages, only } from './debian-packages.ts';
import { MENDED, mendSource, needsMend } from './vector-mend.ts';

const execute = promisify(execFile);

/**
 * Debian's release that has the headers of this server, and those whose pgvector knows it, the one to prefer first: trixie
 * has 0.8.0, without the mend of CVE-2026-3172 (its patches are for the build only; nor is there one in trixie-security),
 * forky 0.8.7. Headers fit every minor release of a major one.
 */
const DEBIAN: Partial<Record<number, { headers: string; vector: string[] }>> = {
  15: { headers: 'bookworm', vector: ['forky', 'trixie'] },
  17: { headers: 'trixie', vector: ['forky', 'trixie'] },
  18: { headers: 'forky', vector: ['forky'] },
};

export type BuildOptions = {
  /** Ends the build, and with it the programs that it runs. */
  signal?: AbortSignal;
  /** Another folder with the same server, which gets it too. */
  also?: string | undefined;
};
type Run = (program: string, args: string[]) => Promise<unknown>;

/**
 * Builds pgvector for a server that npm brought (the embedded one, if no other is named), with what Debian has: the source
 * package, the server's headers (unpacked, not installed) and the C compiler that is there. Answers one line that says what
 * came of it; undefined when it is there already, with the mend of CVE-2026-3172, or the build was ended. Never throws: a system
 * without apt or a compiler goes without.
 */
export async function addVector(
  binaries: Binaries = installedBinaries(), { signal, also }: BuildOptions = {},
): Promise<string | undefined> {
  const { folder, major } = binaries;
  if (hasVector(binaries) && (also === undefined || hasVector({ ...binaries, folder: also }))) return undefined;
  let work: string | undefined;
  try {
    work = mkdtempSync(join(tmpdir(), 'rowgate-vector-'));
    const version = await build(work, binaries, also, signal);
    rmSync(failureNote(folder), { force: true });
    return `Built pgvector ${version} for the embedded PostgreSQL ${major}.`;
  } catch (error) {
    if (signal?.aborted) return undefined;
    const needs = 'which needs Debian\'s apt and a C compiler to be built';
    const line = `The embedded PostgreSQL ${major} goes without pgvector, ${needs}: ${firstLine(error)}`;
    noteFailure(folder, line);
    return line;
  } finally {
    if (work !== undefined) rmSync(work, { recursive: true, force: true });
  }
}

/** Whether the server has pgvector, without the fault of CVE-2026-3172. */
export function hasVector({ folder }: Binaries): boolean {
  const control = controlFile(folder);
  return existsSync(control) && !needsMend(readFileSync(control, 'utf8'));
}

/** Milliseconds until a start tries again what has failed. */
const AGAIN = 24 * 3_600_000;

/** Whether a start tries to build it: its folder can be written, and no build has failed in the last day. */
export function mayBuildVector({ folder }: Binaries): boolean {
  try {
    accessSync(dirname(controlFile(folder)), constants.W_OK);
    const failed = statSync(failureNote(folder), { throwIfNoEntry: false });
    return failed === undefined || Date.now() - failed.mtimeMs > AGAIN;
  } catch {
    return false;
  }
}

function failureNote(folder: string): string {
  return join(folder, 'share/postgresql/extension/vector.not-built');
}

function noteFailure(folder: string, line: string): void {
  try {
    writeFileSync(failureNote(folder), `${line}\n`);
  } catch {
    // A folder of another user: the build is not tried there at all (mayBuildVector).
  }
}

/** The version that was built. */
async function build(work: string, { folder, major }: Binaries, also: string | undefined, signal?: AbortSignal): Promise<string> {
  const debian = DEBIAN[major];
  if (debian === undefined) throw new Error(`Debian has no headers of PostgreSQL ${major}`);
  const run: Run = (program, args) => execute(...besides(program, args, signal), { ...(signal && { signal }) });
  await run('cc', ['--version']);
  await fetchDebianPackages(work, { suite: debian.headers, binary: [`postgresql-server-dev-${major}`], ...(signal && { signal }) });
  const sources = await fetchVector(work, debian.vector, signal);
  await run('dpkg-deb', ['-x', only(work, '*.deb'), join(work, 'headers')]);
  await run('tar', ['-xf', only(sources, '*.orig.tar.*'), '-C', work]);
  const source = only(work, 'pgvector-*');
  const isMended = mendSource(source);
  const objects = await compile(source, join(work, `headers/usr/include/postgresql/${major}/server`), run);
  await run('cc', ['-shared', '-o', join(work, 'vector.so'), ...objects, '-lm']);
  for (const server of [folder, ...(also === undefined ? [] : [also])]) install(work, source, server, isMended);
  return isMended ? `${versionIn(source)} with the mend of CVE-2026-3172` : versionIn(source);
}

/** Fetches the source package from the first release that has it. Returns its folder. */
async function fetchVector(work: string, [suite = '', ...others]: string[], signal?: AbortSignal): Promise<string> {
  const folder = join(work, suite);
  try {
    await fetchDebianPackages(folder, { suite, source: ['pgvector'], ...(signal && { signal }) });
    return folder;
  } catch (error) {
    if (others.length === 0 || signal?.aborted) throw error;
    return fetchVector(work, others, signal);
  }
}

/** The project's own flags, but for -march=native: the result may be copied to another machine. */
async function compile(source: string, headers: string, run: Run): Promise<string[]> {
  const flags = [
    '-O2', '-fPIC', '-ftree-vectorize', '-fassociative-math', '-fno-signed-zeros', '-fno-trapping-math',
    `-I${headers}`, `-I${join(source, 'src')}`, '-c',
  ];
  const files = readdirSync(join(source, 'src')).filter(name => name.endsWith('.c')).map(name => join(source, 'src', name));
  const next = files.values();
  await Promise.all(Array.from({ length: availableParallelism() }, async () => {
    for (const file of next) await run('cc', [...flags, '-o', `${file}.o`, file]);
  }));
  return files.map(file => `${file}.o`);
}

/**
 * The control file is written last: it tells the next run, and the server, that the extension is complete. Existing files are removed
 * first, because a server may have them open.
 */
function install(work: string, source: string, folder: string, isMended: boolean): void {
  const extension = join(folder, 'share/postgresql/extension');
  const control = readFileSync(join(source, 'vector.control'), 'utf8');
  replace(join(folder, 'lib/postgresql/vector.so'), file => cpSync(join(work, 'vector.so'), file));
  replace(join(extension, `vector--${versionIn(source)}.sql`), file => cpSync(join(source, 'sql/vector.sql'), file));
  replace(controlFile(folder), file => writeFileSync(file, isMended ? `${MENDED}\n${control}` : control));
}

function replace(file: string, write: (file: string) => void): void {
  rmSync(file, { force: true });
  write(file);
}

function controlFile(folder: string): string {
  return join(folder, 'share/postgresql/extension/vector.control');
}

function versionIn(source: string): string {
  return /default_version = '([^']+)'/.exec(readFileSync(join(source, 'vector.control'), 'utf8'))?.[1] ?? '';
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return ((stderr ?? '').trim() || message).split('\n')[0] ?? '';
}
