import { Readable } from 'node:stream';
import { SLAB, giveSlab, takeSlab } from '../../process/slabs.ts';
import type { Source, Span } from '../store.ts';
import { letGo, readAt, type Descriptor } from './descriptor.ts';

/** At most so many bytes are read at once. */
const FEW = 64 * 1024;

/** Reads a span of an open file, which is closed after the last byte. */
export async function readFrom(file: Descriptor, { start, end }: Span): Promise<Buffer | Source> {
  const length = end - start + 1;
  if (length > FEW) return new FileSource(file, start, length);
  try {
    const bytes = Buffer.allocUnsafe(length);
    if (length > 0 && await readAt(file, bytes, length, start) < length) throw shorter();
    return bytes;
  } finally {
    letGo(file);
  }
}

class FileSource extends Readable {
  readonly #file: Descriptor;
  #position: number;
  #left: number;
  #reading: Promise<void> | undefined;

  constructor(file: Descriptor, position: number, length: number) {
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
    const count = await readAt(this.#file, slab, Math.min(SLAB, this.#left), this.#position);
    if (count === 0) throw shorter();
    this.#position += count;
    this.#left -= count;
    this.push(slab.subarray(0, count));
  }

  /** Not while it is read: the number of a closed file may be another file's. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    void Promise.resolve(this.#reading).then(() => {
      letGo(this.#file);
      done(error);
    });
  }
}

function shorter(): Error {
  return new Error('The file is shorter than it was.');
}
