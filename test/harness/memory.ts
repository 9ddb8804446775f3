import { chownSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import postgres from 'postgres';
import { ROOT } from './server.ts';

/** Where the databases of tests lie, if there is memory for them. Templates stay on the disk, for the next run. */
const TABLESPACE = 'rowgate_test';

/** A file system in memory, where Linux has one. */
const MEMORY = '/dev/shm';
/** Bytes. A database of a test takes 12 MB, a few of them 60. */
const ENOUGH = 2 ** 31;

/**
 * A database is 1,200 files, and a disk's file system takes its time to find places for what is made and dropped all the time:
 * a tenth of the CPU time of all tests. To be called when the server has no database of a test.
 * @returns the tablespace for them, on the server that keeps its data in `dir`; undefined where there is no room.
 */
export async function openMemory(server: string, dir: string): Promise<string | undefined> {
  if (!hasRoom()) return undefined;
  const folder = join(MEMORY, `rowgate-test-${createHash('sha256').update(ROOT).digest('hex').slice(0, 12)}`);
  const { uid, gid } = statSync(dir);
  const sql = postgres(server, { max: 1, fetch_types: false, onnotice: () => undefined });
  try {
    await sql`drop tablespace if exists ${sql(TABLESPACE)}`;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, uid, gid);
    await sql.unsafe(`create tablespace ${TABLESPACE} location '${folder}'`);
    return TABLESPACE;
  } finally {
    await sql.end();
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH;
  } catch {
    return false; // another system
  }
}
