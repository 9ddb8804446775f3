import type { FileHandle } from 'node:fs/promises';
import { createInTurn } from '../process/in-turn.ts';
import type { Sink } from './store.ts';

/** Writes of this process at the same time. Node.js has four threads for files, and readers and sign-ins need the others. */
const inTurn = createInTurn({ atOnce: 2 });

/** Writes a file from front to back. `size` is that of the file. The file stays open. */
export function fileWriter(file: FileHandle, from = 0): Sink & { readonly size: number } {
  let size = from;

  return {
    get size() { return size; },
    write: bytes => inTurn(async () => {
      for (let at = 0; at < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, at, bytes.length - at, size);
        at += bytesWritten;
        size += bytesWritten;
      }
    }),
  };
}
