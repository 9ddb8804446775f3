import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { ownName } from '../process/process-name.ts';
import { SLAB, giveSlab, takeSlab } from '../process/slabs.ts';
import { openTemporary } from '../process/temporary-file.ts';
import { fileWriter } from './file-writer.ts';
import { ifThere, refuse } from './local/refusal.ts';
import type { Intake, Kind, ObjectInfo, Place, Sink, Store } from './store.ts';

/** A file on the disk for bytes whose destination is known at the end. */
export type Spool = Sink & Pick<Intake, 'drop'> & {
  /** Makes an object of the bytes. The spool is over then, whether this succeeds or fails. */
  moveTo: (store: Store, place: Place, kind: Kind) => Promise<ObjectInfo>;
};

/** @param likely the probable store: if it has a disk, the file is made there and becomes an object without a copy */
export async function openSpool(likely?: Store): Promise<Spool> {
  const aside = likely?.aside;
  const path = aside && join(await aside.folder(), ownName());
  const file = await (path === undefined ? openTemporary() : open(path, 'wx+')).catch(refuse);
  const writer = fileWriter(file);
  let isClosed = false;

  return {
    write: bytes => writer.write(bytes).catch(refuse),
    drop,
    async moveTo(store, place, kind) {
      try {
        if (aside === undefined || path === undefined || store !== likely) {
          return await copy(file, writer.size, await store.intake(place, kind, writer.size));
        }
        const now = Date.now() / 1000;
        await file.utimes(now, now);
        await file.sync();
        await close();
        return await aside.adopt(path, place, kind);
      } catch (error) {
        return refuse(error);
      } finally {
        await drop();
      }
    },
  };

  async function drop(): Promise<void> {
    await close();
    if (path !== undefined) await ifThere(unlink(path));
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await file.close();
  }
}

async function copy(file: FileHandle, size: number, intake: Intake): Promise<ObjectInfo> {
  const slab = takeSlab();
  try {
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(slab, 0, SLAB, at);
      if (bytesRead === 0) throw new Error('The spooled file is shorter than it was.');
      at += bytesRead;
      await intake.write(slab.subarray(0, bytesRead));
    }
    return await intake.finish();
  } catch (error) {
    await intake.drop();
    throw error;
  } finally {
    giveSlab(slab);
  }
}
