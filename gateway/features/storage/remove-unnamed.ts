import { type Turns } from '../../database/turns.ts';
import { type Handler } from '../job.ts';
import { type Store } from '../../blobs/store.ts';

type Released = { storageId: string; bucket: string; key: string };

/** The task that triggers of properties with cleanup enqueue (service.release_files). */
export const REMOVE_UNNAMED = 'service.storage_remove';

/**
 * Removes a file that a row has let go of, if no row names it. One that was stored after that is another file.
 * @param storeOf undefined for a source that is not there
 */
export function removeUnnamed(ask: Turns, storeOf: (storageId: string) => Store | undefined): Handler {
  return async ({ payload, createdAt }) => {
    const { storageId, bucket, key } = payload as Released;
    const store = storeOf(storageId);
    if (store === undefined) throw new Error(`There is no source ${storageId}.`);
    const place = { bucket: bucket === 'default' ? store.bucket : bucket, key };
    const info = await store.info(place);
    if (info === undefined || latest(info.modified) >= createdAt.getTime()) return;
    const buckets = [...new Set([bucket, place.bucket, ...(place.bucket === store.bucket ? ['default'] : [])])];
    const [row] = await ask('jobs', sql => sql<{ named: boolean }[]>`
      select service.is_file_named(${storageId}, ${key}, array(select jsonb_array_elements_text(${sql.json(buckets)}))) as named`);
    if (row?.named === false) await store.remove(place);
  };
}

/** A disk's clock may be some milliseconds behind, and some stores tell whole seconds and mean any moment of that one. */
function latest(modified: Date): number {
  return modified.getTime() + (modified.getMilliseconds() === 0 ? 999 : 10);
}
