// The 23 files that the first migration replaces, and a database that has them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { type Test } from 'tap';
import { type Migration } from '../../gateway/start/schema-files.ts';
import { createDatabase, type TestDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';

export const CHAIN = JSON.parse(brotliDecompressSync(readFileSync(join(ROOT, 'test/schema/replaced-chain.json.br'))).toString()) as Migration[];

export async function databaseOf(t: Pick<Test, 'teardown'>, chain = CHAIN): Promise<TestDatabase> {
  const database = await createDatabase(t);
  const { sql } = database;
  await sql.unsafe(`create schema service; create table service.migrations (
    number integer primary key, name text not null, hash text not null, previous_hash text not null, applied_at timestamptz not null default now());
    comment on table service.migrations is 'The service''s migrations that this database has, with the hashes of their files.'`);
  for (const { number, name, hash, previous, body } of chain) {
    await sql.unsafe(body).simple();
    await sql`insert into service.migrations (number, name, hash, previous_hash) values (${number}, ${name}, ${hash}, ${previous})`;
  }
  return database;
}
