/**
 * Builds pgvector for the embedded server, with what Debian has: the source package, the server's headers (unpacked, not
 * installed) and the C compiler that is there. Run once after installing; says in one line what came of it. A system
 * without apt or a compiler goes without: the service then leaves vector properties out and says why.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installedBinaries, EMBEDDED_RELEASE } from './embedded-binaries.ts';

const run = promisify(execFile);

/** Debian's release that has both PostgreSQL 17 and its pgvector. Headers fit every minor release of a major one. */
const DEBIAN = 'trixie';
const VERSION = '0.8.0';

type Place = { library: string; extension: string };

async function main(): Promise<void> {
  const { folder } = installedBinaries();
  const place = { library: join(folder, 'lib/postgresql'), extension: join(folder, 'share/postgresql/extension') };
  if (existsSync(join(place.extension, 'vector.control'))) return;
  const work = mkdtempSync(join(tmpdir(), 'rowgate-vector-'));
  try {
    await build(work, place);
    console.log(`Built pgvector ${VERSION} for the embedded PostgreSQL.`);
  } catch (error) {
    console.log(`The embedded PostgreSQL goes without pgvector, which needs Debian's apt and a C compiler to be built: ${firstLine(error)}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function build(work: string, place: Place): Promise<void> {
  await run('cc', ['--version']);
  await download(work);
  await run('dpkg-deb', ['-x', only(work, '*.deb'), join(work, 'headers')]);
  await run('tar', ['-xf', only(work, '*.orig.tar.*'), '-C', work]);
  const source = only(work, 'pgvector-*');
  const objects = await compile(source, join(work, `headers/usr/include/postgresql/${EMBEDDED_RELEASE.major}/server`));
  await run('cc', ['-shared', '-o', join(work, 'vector.so'), ...objects, '-lm']);
  install(work, source, place);
}

/** apt with lists and a cache of its own, so that it needs no rights and the system's are left as they are. */
async function download(work: string): Promise<void> {
  const apt = join(work, 'apt');
  for (const folder of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(apt, folder), { recursive: true });
  const { uri, options } = debianSource();
  writeFileSync(join(apt, 'sources.list'), `deb ${options} ${uri} ${DEBIAN} main\ndeb-src ${options} ${uri} ${DEBIAN} main\n`);
  const settings = [
    `Dir::Etc::sourcelist=${join(apt, 'sources.list')}`, 'Dir::Etc::sourceparts=/dev/null', `Dir::State::lists=${join(apt, 'lists')}`,
    `Dir::Cache=${join(apt, 'cache')}`, 'APT::Sandbox::User=', 'Acquire::Languages=none',
  ].flatMap(setting => ['-o', setting]);
  const get = (...words: string[]) => run('apt-get', [...settings, '-qq', ...words], { cwd: work, timeout: 120_000 });
  await get('update');
  await get('download', `postgresql-server-dev-${EMBEDDED_RELEASE.major}`);
  await get('source', '--download-only', 'pgvector');
}

/** The mirror that this system uses for Debian itself, in either spelling of its sources. */
function debianSource(): { uri: string; options: string } {
  const files = ['/etc/apt/sources.list', ...globSync('/etc/apt/sources.list.d/*')].filter(file => existsSync(file));
  const uris = files.flatMap(file => readFileSync(file, 'utf8').match(/https?:\/\/[^\s\]]+/g) ?? []);
  const uri = uris.find(found => /\/debian\/?$/.test(found));
  if (uri === undefined) throw new Error('no source of Debian packages is configured');
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  return { uri, options: existsSync(keys) ? `[signed-by=${keys}]` : '' };
}

/** The project's own flags, but for -march=native: the result may be copied to another machine. */
async function compile(source: string, headers: string): Promise<string[]> {
  const flags = ['-O2', '-fPIC', '-ftree-vectorize', '-fassociative-math', '-fno-signed-zeros', '-fno-trapping-math', `-I${headers}`, `-I${join(source, 'src')}`, '-c'];
  const files = readdirSync(join(source, 'src')).filter(name => name.endsWith('.c')).map(name => join(source, 'src', name));
  const next = files.values();
  await Promise.all(Array.from({ length: availableParallelism() }, async () => {
    for (const file of next) await run('cc', [...flags, '-o', `${file}.o`, file]);
  }));
  return files.map(file => `${file}.o`);
}

/** The control file is last: by it the next run, and the server, know that the extension is whole. */
function install(work: string, source: string, { library, extension }: Place): void {
  cpSync(join(work, 'vector.so'), join(library, 'vector.so'));
  cpSync(join(source, 'sql/vector.sql'), join(extension, `vector--${VERSION}.sql`));
  cpSync(join(source, 'vector.control'), join(extension, 'vector.control'));
}

function only(folder: string, pattern: string): string {
  const [found, ...others] = globSync(join(folder, pattern));
  if (found === undefined || others.length > 0) throw new Error(`expected one ${pattern}`);
  return found;
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return ((stderr ?? '').trim() || message).split('\n')[0] ?? '';
}

await main();
