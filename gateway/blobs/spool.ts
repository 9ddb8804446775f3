import { open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { fileWriter } from './file-writer.ts';
import { ifThere, refuse } from './local/refusal.ts';
import { openNameless } from './nameless.ts';
import { ownName } from './process-name.ts';
import { SLAB, giveSlab, takeSlab } from './slabs.ts';
import { type Intake, type Kind, type ObjectInfo, type Place, type Store } from './store.ts';

/** Bytes on a disk whose place is told in the end. */
export type Spool = Pick<Intake, 'push' | 'ready' | 'drop'> & {
  /** Makes an object of them, and is over then, whether it succeeds or fails. */
  moveTo: (store: Store, place: Place, kind: Kind) => Promise<ObjectInfo>;
};

/** On the disk of this store, if it has one: then they need no copy to become an object of it. */
export async function openSpool(likely?: Store): Promise<Spool> {
  const aside = likely?.aside;
  const path = aside && join(await aside.folder(), ownName());
  const file = await (path === undefined ? openNameless() : open(path, 'wx+')).catch(refuse);
  const writer = fileWriter(file);
  let isClosed = false;

  return {
    push: writer.push,
    ready: () => writer.ready().catch(refuse),
    drop,
    async moveTo(store, place, kind) {
      try {
        await writer.flush();
        if (aside === undefined || path === undefined || store !== likely) {
          return await pour(file, writer.size, await store.intake(place, kind, writer.size));
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
    await writer.flush().catch(() => undefined); // what is under way writes to an open file
    await close();
    if (path !== undefined) await ifThere(unlink(path));
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await file.close();
  }
}

async function pour(file: FileHandle, size: number, intake: Intake): Promise<ObjectInfo> {
  const slab = takeSlab();
  try {
    for (let at = 0; at < size;) {
      const { bytesRead } = await file.read(slab, 0, SLAB, at);
      if (bytesRead === 0) throw new Error('The file is shorter than it was.');
      at += bytesRead;
      if (!intake.push(slab.subarray(0, bytesRead))) await intake.ready();
    }
    return await intake.finish();
  } catch (error) {
    await intake.drop();
    throw error;
  } finally {
    giveSlab(slab);
  }
}
