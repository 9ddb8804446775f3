import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { type Piece, type Resumable, type Upload } from '../resumable.ts';
import { type Kind, type ObjectInfo, type Place, type Store } from '../store.ts';

/** Below the folder of a store; no bucket begins with a dot. */
export const UPLOADS_FOLDER = '.tus-uploads';

/**
 * Where the bytes are: each file's begin where the one before it ends, the last one's end at the offset. Only the last is written to, and
 * nobody but its writer knows its name while that one may be alive: of a file that a dead or stuck writer left the part is used that was
 * there when somebody else took over, since a writer only appends.
 */
type Segments = { began: number; segments: { file: string; start: number }[] };

export type LocalUploadsOptions = Pick<Store, 'info'> & {
  /** Of the store. */
  root: string;
  /** Makes an object of a file on the same disk, whose bytes are durable. */
  adopt: (file: string, place: Place, kind: Kind) => Promise<ObjectInfo>;
  /** Takes bytes for a file, from a position on. `end` makes them durable and closes it; `drop` closes it. */
  writer: (handle: FileHandle, position: number) => Pick<Piece, 'push' | 'ready' | 'drop'> & { end: () => Promise<{ size: number }> };
};

export function localUploads({ root, info, adopt, writer }: LocalUploadsOptions): Required<Resumable> {
  const folder = join(root, UPLOADS_FOLDER);
  const pathOf = (file: string) => join(folder, file);

  return {
    begin: (id, place, kind, length) =>
      withSegments({ id, place, kind, length, offset: 0 }, { began: Date.now(), segments: [{ file: id, start: 0 }] }),

    async append(upload) {
      const { file, start } = lastOf(upload);
      const size = upload.offset - start;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const handle = await open(pathOf(file), size === 0 ? constants.O_RDWR | constants.O_CREAT : constants.O_RDWR, 0o600);
      try {
        if ((await handle.stat()).size < size) throw lost(upload);
        await handle.truncate(size); // what is beyond was never counted
      } catch (error) {
        await handle.close();
        throw error;
      }
      const { end, ...piece } = writer(handle, size);
      return { ...piece, end: async () => ({ ...upload, offset: start + (await end()).size }) };
    },

    async recover(upload) {
      const { began, segments } = segmentsOf(upload);
      const { file, start } = lastOf(upload);
      const offset = start + await durableSize(pathOf(file));
      if (offset < upload.offset) throw lost(upload);
      const closed = offset === start ? segments.slice(0, -1) : segments;
      const next = { file: `${upload.id}.${randomUUID()}`, start: offset };
      return withSegments({ ...upload, offset }, { began, segments: offset === upload.length ? closed : [...closed, next] });
    },

    async complete(upload) {
      const { began } = segmentsOf(upload);
      try {
        const done = await adopt(await wholeFile(upload), upload.place, upload.kind);
        if (!isPlain(upload)) await removeFiles(upload.id);
        return done;
      } catch (error) {
        if (!isMissing(error)) throw error;
        const there = await info(upload.place); // made before, by who could not tell any more
        if (there === undefined || there.size !== upload.length || there.modified.getTime() < began) throw lost(upload);
        await removeFiles(upload.id);
        return there;
      }
    },

    discard: ({ id }) => removeFiles(id),
  };

  /** The one there is, or a copy of all. */
  async function wholeFile(upload: Upload): Promise<string> {
    const { segments } = segmentsOf(upload);
    const parts = segments.map(({ file, start }, i) => ({ path: pathOf(file), size: (segments[i + 1]?.start ?? upload.length) - start }))
      .filter(({ size }) => size > 0);
    const [first] = parts;
    if (first !== undefined && parts.length === 1) {
      if ((await stat(first.path)).size !== upload.length) throw lost(upload);
      return first.path;
    }
    const whole = pathOf(`${upload.id}.${randomUUID()}`);
    const handle = await open(whole, 'wx', 0o600);
    try {
      for (const { path, size } of parts) {
        for await (const bytes of createReadStream(path, { end: size - 1 })) await handle.writeFile(bytes as Buffer);
      }
      if ((await handle.stat()).size !== upload.length) throw lost(upload);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    return whole;
  }

  async function removeFiles(id: string): Promise<void> {
    const files = await readdir(folder).catch((error: unknown) => isMissing(error) ? [] : Promise.reject(error as Error));
    await Promise.all(files.filter(file => file === id || file.startsWith(`${id}.`)).map(file => rm(pathOf(file), { force: true })));
  }
}

/** 0 when there is none. */
async function durableSize(path: string): Promise<number> {
  const handle = await open(path, 'r+').catch((error: unknown) => isMissing(error) ? undefined : Promise.reject(error as Error));
  if (handle === undefined) return 0;
  try {
    const { size } = await handle.stat();
    await handle.datasync();
    return size;
  } finally {
    await handle.close();
  }
}

/** Of one file, which has become the object. */
function isPlain(upload: Upload): boolean {
  return segmentsOf(upload).segments.every(({ file }) => file === upload.id);
}

function segmentsOf({ held }: Upload): Segments {
  return held as Segments;
}

function lastOf(upload: Upload): Segments['segments'][number] {
  return segmentsOf(upload).segments.at(-1) as Segments['segments'][number];
}

function withSegments(upload: Upload, held: Segments): Upload {
  return { ...upload, held };
}

function lost({ id }: Upload): Error {
  return new Error(`Bytes of the upload ${id} that had come in are not on this disk.`);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
