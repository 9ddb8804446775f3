import { pino } from 'pino';
import type postgres from 'postgres';
import type { Config } from '../config.ts';
import { BootError } from '../../error.ts';
import type { ObjectInfo, Store } from '../../blobs/store.ts';
import { shown } from '../../process/printable.ts';
import type { AskProject } from '../command.ts';
import { openStores } from './stores.ts';

type Wanted = { words: readonly string[]; as: string | undefined; remove: boolean; olderThan: string; json: boolean };
type Answer = { allowed: boolean; status?: number; code?: string; reason: string };
type Orphan = { source: string; key: string } & Pick<ObjectInfo, 'size' | 'modified'>;

const OPERATIONS = ['read', 'write', 'delete', 'list'];
const AT_ONCE = 1_000;
const HOUR = 3_600_000;

/**
 * `rowgate storage why <operation> <key>`: whether an account may do something with a file, by the rules that the last start had, and what
 * decides; the exit code is 2 when it may not. `rowgate storage orphans`: files that lie where a property has its files, and that no row
 * names.
 * @throws BootError for what is no such command, and for a database without the schema of this version.
 */
export function storageCommand(
  { words: [action, operation = '', key = ''], as, remove, olderThan, json }: Wanted, askProject: AskProject,
): Promise<void> {
  if (action === 'why' && OPERATIONS.includes(operation)) {
    return askProject('storage', async owner => {
      const answer = await why(owner, operation, key, as);
      if (!answer.allowed) process.exitCode = 2;
      return json ? JSON.stringify(answer, null, 2) : shown(`${answer.allowed ? 'Yes' : `No (${answer.status ?? ''})`}: ${answer.reason}.`);
    });
  }
  const hours = Number(olderThan);
  if (action !== 'orphans' || operation !== '' || !(hours >= 0)) {
    throw new BootError(`It is rowgate storage why ${OPERATIONS.join('|')} <key>, or rowgate storage orphans.`);
  }
  return askProject('storage', async (owner, config) => {
    const found = await orphans(owner, config, { before: Date.now() - hours * HOUR, remove });
    return json ? JSON.stringify(found, null, 2) : shown(inWords(found, remove));
  });
}

async function why(owner: postgres.Sql, operation: string, key: string, as: string | undefined): Promise<Answer> {
  const [row] = await owner<{ answer: Answer }[]>`
    select service.storage_why(${operation}, ${key}, service.account_claims(${as ?? null})) as answer`;
  if (row === undefined) throw new Error('service.storage_why() returned nothing.');
  return row.answer;
}

async function orphans(owner: postgres.Sql, config: Config, { before, remove }: { before: number; remove: boolean }): Promise<Orphan[]> {
  const { served } = await openStores(config, { isFirst: false, log: pino({ level: 'silent' }) });
  const found: Orphan[] = [];
  for (const { key: source, store } of served) {
    const { bucket } = store;
    for await (const keys of keysOf(store)) {
      const rows = await owner<{ key: string }[]>`
        select key from service_private.orphaned_files(${source}, array(select jsonb_array_elements_text(${owner.json(keys)})),
          array['default', ${bucket}]) key`;
      for (const { key } of rows) {
        const info = await store.info({ bucket, key });
        if (info === undefined || info.modified.getTime() > before) continue;
        if (remove) await store.remove({ bucket, key }, info.version);
        found.push({ source, key, size: info.size, modified: info.modified });
      }
    }
  }
  return found;
}

/** The keys of a folder and everything below it, a page at a time. */
async function* keysOf(store: Store, prefix = ''): AsyncGenerator<string[]> {
  let after: string | undefined;
  do {
    const { keys, prefixes, next } = await store.list(store.bucket, prefix, AT_ONCE, after);
    yield keys;
    for (const below of prefixes) yield* keysOf(store, below);
    after = next;
  } while (after !== undefined);
}

function inWords(found: readonly Orphan[], removed: boolean): string {
  const size = found.reduce((sum, one) => sum + one.size, 0);
  return [
    ...found.map(({ source, key, size, modified }) => `${source}  ${key}  ${size} bytes, of ${modified.toISOString()}`),
    `${found.length === 1 ? '1 file' : `${found.length} files`} that no row names: ${size} bytes${removed ? ', deleted' : ''}.`,
  ].join('\n');
}
