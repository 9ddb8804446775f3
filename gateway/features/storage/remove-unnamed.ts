import type { Store } from '../../blobs/store.ts';
import type { Lane, Statement } from '../../database/lane.ts';
import type { FairExecutor } from '../../database/fair-executor.ts';
import type { EnteringValues } from '../../identity/caller.ts';
import type { Handler, Job } from '../job.ts';

/**
 * `namedBucket`: in the value of the row, where it is not the name of the property's bucket. `caller`: of the request in which the row was
 * written, where the rules were not checked then.
 */
type Released = { storageId: string; bucket: string; key: string; namedBucket?: string; caller?: EnteringValues };

/** The task that triggers of properties with cleanup enqueue (service_private.put_release). */
export const REMOVE_UNNAMED = 'service.storage_remove';

const MAY_DELETE: Statement = {
  text: 'select service_private.may_caller_delete_file(array[$1, $2, $3, $4, $5], $6::text::jsonb)::text', prepare: true, enterFirst: false,
};

export type RemoveOptions = {
  /** As the owner. */
  ask: FairExecutor;
  /** As the caller. */
  lane: Pick<Lane, 'run'>;
  /** Undefined for a source that is not there. */
  storeOf: (storageId: string) => Store | undefined | Promise<Store | undefined>;
};

/**
 * Removes a file that a row no longer names, if it lies under the path of a property with cleanup and no other row names it. A file that
 * was stored after the write is another file, and stays.
 */
export function removeUnnamed({ ask, lane, storeOf }: RemoveOptions): Handler {
  return { run: remove };

  async function remove({ payload, createdAt }: Job): Promise<void> {
    const { caller, ...file } = payload as Released;
    const { storageId, bucket, key, namedBucket } = file;
    const store = await storeOf(storageId);
    if (store === undefined) throw new Error(`There is no source ${storageId}.`);
    const physical = (name: string) => name === 'default' ? store.bucket : name;
    const place = { bucket: physical(bucket), key };
    if (physical(namedBucket ?? bucket) !== place.bucket) return;
    if (store.engine !== 'local' && place.bucket !== store.bucket) return; // a remote store has the one bucket
    const buckets = [...new Set([bucket, place.bucket, ...(place.bucket === store.bucket ? ['default'] : [])])];
    if (!await isReleased(storageId, key, buckets)) return;
    if (caller !== undefined && !await mayDelete(caller, file)) return;
    const info = await store.info(place);
    if (info === undefined || latest(info.modified) >= createdAt.getTime()) return;
    await store.remove(place, info.version);
  }

  async function isReleased(storageId: string, key: string, buckets: string[]): Promise<boolean> {
    const [row] = await ask('jobs', sql => sql<{ released: boolean }[]>`
      select service_private.is_released(${storageId}, ${key}, array(select jsonb_array_elements_text(${sql.json(buckets)}))) as released`);
    return row?.released === true;
  }

  async function mayDelete(caller: EnteringValues, file: Omit<Released, 'caller'>): Promise<boolean> {
    const [answer] = await lane.run(MAY_DELETE, [...caller, JSON.stringify(file)], { key: () => `jobs ${caller[0]}` });
    return String(answer) === 'true';
  }
}

/** A disk's clock may be some milliseconds behind, and some stores tell whole seconds and mean any moment of that one. */
function latest(modified: Date): number {
  return modified.getTime() + (modified.getMilliseconds() === 0 ? 999 : 10);
}
