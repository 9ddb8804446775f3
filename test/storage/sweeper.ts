// Uploads whose gateway died, and what sees to them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { accountQuery } from '../../gateway/identity/accounts.ts';
import { openLocalStore } from '../../gateway/blobs/local/local-store.ts';
import { createGate, type FileEvent } from '../../gateway/features/storage/gate.ts';
import { createHolders } from '../../gateway/features/storage/tus/holders.ts';
import { sweep } from '../../gateway/features/storage/tus/sweep.ts';
import { uploadQueries } from '../../gateway/features/storage/tus/uploads.ts';
import type { Files } from './files.ts';
import { begin, piece, type TusOptions } from './tus-client.ts';

/** A sweeper beside that of the service, which sweeps when a test says so. */
export async function sweeperOf({ folder, database }: Files) {
  const uploads = uploadQueries(accountQuery(database.accounts, true), true);
  const store = await openLocalStore({ path: folder, cleans: false });
  const holders = createHolders(uploads, () => store.uploads);
  const [logged, told]: [string[], FileEvent[]] = [[], []];
  const log = pino({}, { write: line => { logged.push(line); } });
  const { lanes, reads } = database;
  const { allow } = createGate({ rules: {}, authRequired: true, lanes, reads, verbose: true, log });
  const gate = { allow, tell: (_: unknown, event: FileEvent) => Promise.resolve(void told.push(event)) };
  const sweeping = (stores = [store]) =>
    sweep({ uploads, holders, gate, log, sources: { served: stores.map(store => ({ key: '(default)', engine: 'local', store })) } });
  return { sweeping, store, holders, logged, told };
}

/** An upload of `abcd` of which all is recorded, and then its gateway died. */
export async function whole({ folder, sql, ...service }: Files, key: string, options: TusOptions = {}): Promise<string> {
  const address = await begin(service, 4, { key }, options);
  await piece(service, address, 0, 'abc', options);
  const id = address.slice(address.lastIndexOf('/') + 1);
  writeFileSync(join(folder, '.tus-uploads', id), 'abcd');
  await sql`update service.storage_uploads set received = 4 where id = ${id}`;
  return id;
}
