import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

type Wanted = {
  /** Debian's release that has them: `bookworm`, `trixie`, `sid`. */
  suite: string;
  /** Left in the folder as `*.deb`. */
  binary?: string[];
  /** Left in the folder as `*.orig.tar.*`, with what else the source package has. */
  source?: string[];
  /** Ends the download. */
  signal?: AbortSignal;
};

/**
 * A program with its arguments. With a signal it runs beside a service: at a lower priority, and in a session of its own, so that Ctrl-C
 * at the terminal reaches the service alone, which then ends it.
 */
export function besides(program: string, args: string[], signal: AbortSignal | undefined): [program: string, args: string[]] {
  return signal === undefined ? [program, args] : ['setsid', ['nice', '-n', '15', program, ...args]];
}

/**
 * Downloads Debian packages into a folder, with lists and a cache of apt's there, so that it needs no rights and the
 * system's are left as they are. @throws when this system has no apt, no source of Debian packages, or no network.
 */
export async function fetchDebianPackages(folder: string, { suite, binary = [], source = [], signal }: Wanted): Promise<void> {
  const apt = join(folder, `apt-${suite}`);
  for (const made of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(apt, made), { recursive: true });
  const { uri, options } = debianSource();
  const kinds = [...(binary.length > 0 ? ['deb'] : []), ...(source.length > 0 ? ['deb-src'] : [])]; // a list is ten megabytes
  writeFileSync(join(apt, 'sources.list'), kinds.map(kind => `${kind} ${options} ${uri} ${suite} main\n`).join(''));
  const settings = [
    `Dir::Etc::sourcelist=${join(apt, 'sources.list')}`, 'Dir::Etc::sourceparts=/dev/null', `Dir::State::lists=${join(apt, 'lists')}`,
    `Dir::Cache=${join(apt, 'cache')}`, 'APT::Sandbox::User=', 'Acquire::Languages=none',
  ].flatMap(setting => ['-o', setting]);
  const get = (...words: string[]) => {
    const [program, args] = besides('apt-get', [...settings, '-qq', ...words], signal);
    return run(program, args, { cwd: folder, timeout: 120_000, ...(signal && { signal }) });
  };
  await get('update');
  if (binary.length > 0) await get('download', ...binary);
  if (source.length > 0) await get('source', '--download-only', ...source);
}

/** The only file or folder of that pattern among those of a package, whose name has a version. @throws unless there is exactly one. */
export function only(folder: string, pattern: string): string {
  const [found, ...others] = globSync(join(folder, pattern));
  if (found === undefined || others.length > 0) throw new Error(`expected one ${pattern}`);
  return found;
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
