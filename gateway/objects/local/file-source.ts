import { type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { SLAB, giveSlab, takeSlab } from '../slabs.ts';
import { type Source, type Span } from '../store.ts';

/** At most so many bytes are read at once, and the file is closed. */
const FEW = 64 * 1024;

/** What an open file has, which is closed with the last of it. */
export async function readFrom(file: FileHandle, { start, end }: Span): Promise<Buffer | Source> {
  const length = end - start + 1;
  if (length > FEW) return new FileSource(file, start, length);
  try {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length;) {
      const { bytesRead } = await file.read(bytes, at, length - at, start + at);
      if (bytesRead === 0) throw new Error('The file is shorter than it was.');
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

class FileSource extends Readable {
  readonly #file: FileHandle;
  #position: number;
  #left: number;
  #reading: Promise<void> | undefined;

  constructor(file: FileHandle, position: number, length: number) {
    super({ highWaterMark: SLAB });
    this.#file = file;
    this.#position = position;
    this.#left = length;
  }

  readonly recycle = giveSlab;

  override _read(): void {
    if (this.#left === 0) this.push(null);
    else this.#reading = this.#next().catch((error: unknown) => void this.destroy(error as Error));
  }

  async #next(): Promise<void> {
    const slab = takeSlab();
    const { bytesRead } = await this.#file.read(slab, 0, Math.min(SLAB, this.#left), this.#position);
    if (bytesRead === 0) throw new Error('The file is shorter than it was.');
    this.#position += bytesRead;
    this.#left -= bytesRead;
    this.push(slab.subarray(0, bytesRead));
  }

  /** Not while it is read: the number of a closed file may be another file's. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    (this.#reading ?? Promise.resolve()).then(() => this.#file.close()).then(() => done(error), done);
  }
}
