import { existsSync, globSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { BootError } from '../error.ts';
import { outputOf } from './program.ts';

/** Paths of PostgreSQL's own programs. */
export type Client = { dump: string; dumpAll: string; restore: string; psql: string };
/** Those that the operator names. */
export type NamedPrograms = { dump: string | undefined; dumpAll: string | undefined; restore: string | undefined };

export type ClientOptions = {
  /** The major version of the server, which no program may be older than. */
  server: number;
  named: NamedPrograms;
  /** Whether a client that this system lacks may be fetched. */
  fetches: boolean;
};

/** Milliseconds for a program to tell its version. */
const PATIENCE = 10_000;

/** The client of this system that is nearest to the server, else one that is fetched. @throws BootError with the version that is needed. */
export async function findClient({ server, named, fetches }: ClientOptions): Promise<Client> {
  const first = named.dump ?? named.restore ?? named.dumpAll;
  const folder = first === undefined ? await findFolder(server, fetches) : dirname(resolve(first));
  const at = (name: string, path = join(folder, name)) => resolve(path);
  const client = { dump: at('pg_dump', named.dump), dumpAll: at('pg_dumpall', named.dumpAll), restore: at('pg_restore', named.restore) };
  for (const path of Object.values(client)) await requireVersion(path, server);
  return { ...client, psql: join(dirname(client.restore), 'psql') };
}

async function findFolder(server: number, fetches: boolean): Promise<string> {
  const found = await Promise.all(folders().map(async folder =>
    ({ folder, major: await majorOf(join(folder, 'pg_dump')).catch(() => 0) })));
  const [nearest] = found.filter(({ major }) => major >= server).sort((one, other) => one.major - other.major);
  if (nearest !== undefined) return nearest.folder;
  const needed = `PostgreSQL ${server} needs pg_dump ${server} or later, and ${listed(found.map(({ major }) => major))}`;
  const advice = `install postgresql-client-${server}, or name it by PG_DUMP_PATH`;
  if (!fetches) throw new BootError(`${needed}: ${advice}.`);
  const { fetchClient } = await import('./fetch-client.ts');
  return fetchClient(server).catch((cause: unknown) => {
    throw new BootError(`${needed}: ${advice}. Debian's could not be fetched: ${firstLine(cause)}`, { cause });
  });
}

/** Those of the PATH, and where Debian and PostgreSQL's own packages put each version. */
function folders(): string[] {
  const ofPath = (process.env['PATH'] ?? '').split(delimiter).filter(folder => folder !== '');
  const all = [...ofPath, ...globSync(['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin'])];
  return [...new Set(all)].filter(folder => existsSync(join(folder, 'pg_dump')));
}

function listed(majors: number[]): string {
  const known = [...new Set(majors)].filter(major => major > 0);
  return known.length === 0 ? 'there is none here' : `here is only ${known.join(', ')}`;
}

async function requireVersion(path: string, server: number): Promise<void> {
  const major = await majorOf(path);
  if (major < server) throw new BootError(`${path} is of PostgreSQL ${major}: PostgreSQL ${server} needs ${server} or later.`);
}

async function majorOf(path: string): Promise<number> {
  const said = await outputOf({ path, args: ['--version'], env: {}, signal: AbortSignal.timeout(PATIENCE) });
  const [, major] = /\(PostgreSQL\) (\d+)/.exec(said) ?? [];
  if (major === undefined) throw new BootError(`${path} does not say that it is a program of PostgreSQL.`);
  return Number(major);
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return ((stderr ?? '').trim() || message).split('\n')[0] ?? '';
}
