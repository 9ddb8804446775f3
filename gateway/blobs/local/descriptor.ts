import { close, fstatSync, open, read, type Stats } from 'node:fs';

/** The number of an open file. A FileHandle would cost a small file as much as reading it does. */
export type Descriptor = number;

export function openAt(path: string, flags: number): Promise<Descriptor> {
  return new Promise((resolve, reject) => { open(path, flags, (error, file) => { if (error) reject(error); else resolve(file); }); });
}

/** At once: of an open file the kernel has it. */
export function statOf(file: Descriptor): Stats {
  return fstatSync(file);
}

/** Resolves to how many bytes were read, which are fewer only at the file's end. */
export function readAt(file: Descriptor, bytes: Buffer, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    read(file, bytes, 0, length, position, (error, count) => { if (error) reject(error); else resolve(count); });
  });
}

/** Closes the file without waiting: a file that was only read has nothing to report. */
export function letGo(file: Descriptor): void {
  close(file, () => undefined);
}
