import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Intake, type Kind, type Place } from '../store.ts';
import { fileWriter } from './file-writer.ts';
import { ASIDE, pathOf } from './paths.ts';
import { ownName } from './process-name.ts';
import { ifThere, inTheWay, writeRefusal } from './refusal.ts';
import { replace } from './replace.ts';

/** Written aside, synced, and then put in the place of what is there. */
export async function intakeOf(root: string, place: Place, kind: Kind): Promise<Intake> {
  if (place.key.endsWith('/')) throw inTheWay();
  pathOf(root, place); // refuses what it would refuse in the end
  const name = join(ASIDE, ownName());
  const path = join(root, name);
  const file = await open(path, 'wx').catch(refuse);
  const writer = fileWriter(file);
  let isClosed = false;

  return {
    push: writer.push,
    ready: () => writer.ready().catch(refuse),
    async finish() {
      try {
        await writer.flush();
        await file.sync();
        await close();
        return await replace(root, name, place, kind);
      } catch (error) {
        await drop();
        return refuse(error);
      }
    },
    drop,
  };

  async function drop(): Promise<void> {
    await writer.flush().catch(() => undefined); // what is under way writes to an open file
    await close();
    await ifThere(unlink(path));
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    await file.close();
  }
}

export function refuse(error: unknown): never {
  throw writeRefusal(error);
}
