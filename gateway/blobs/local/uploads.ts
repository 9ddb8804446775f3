import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, lstat, mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { fileWriter } from '../file-writer.ts';
import type { Piece, Resumable, Upload } from '../resumable.ts';
import type { Store } from '../store.ts';
import { pathOf, RESUMABLE } from './paths.ts';
import { ifThere, inTheWay, refuse } from './refusal.ts';
import { sync } from './replace.ts';

/** Milliseconds after which what has come in is made durable and told: what a crash costs at most. */
const SAVE_EVERY = 5_000;

/** Milliseconds by which the time of a new file may be behind Date.now(): kernels of HZ=100 count it in steps of 10. */
const COARSE = 10;

/**
 * Where the bytes are: each file begins where the one before it ends, and the last one ends at the offset. Only the last file is written
 * to, by one piece at a time. A piece that was not ended may still be alive and keeps its file: the next piece takes a new file, and of the
 * old one the bytes that were durable by then, which a writer from front to back does not touch again.
 */
type Held = { began: number; segments: Segment[] };
type Segment = { file: string; start: number };

type OnDisk = Pick<Store, 'info'> & Required<Pick<Store, 'aside'>> & { readonly root: string };

export function localUploads({ root, info, aside }: OnDisk, saveEvery = SAVE_EVERY): Required<Resumable> {
  const pathTo = (file: string) => join(root, RESUMABLE, file);

  return {
    begin(id, place, kind, length) {
      if (place.key.endsWith('/')) throw inTheWay();
      pathOf(root, place); // refuses what it would refuse in the end
      const held: Held = { began: Date.now() - COARSE, segments: [{ file: id, start: 0 }] };
      return { id, place, kind, length, offset: 0, held };
    },
    append: (upload, saved) => append(upload, saved).catch(refuse),
    fence: upload => fenced(upload),
    complete: upload => complete(upload).catch(refuse),
    isReplaced: (upload, since) => isReplaced(upload, since).catch(refuse),
    discard: ({ id }) => removeFiles(id).catch(refuse),
  };

  async function append(upload: Upload, saved?: (upload: Upload) => Promise<void> | void): Promise<Piece> {
    const { file: name, start } = lastOf(upload);
    const from = upload.offset - start;
    await mkdir(join(root, RESUMABLE), { recursive: true });
    const file = await open(pathTo(name), from === 0 ? constants.O_RDWR | constants.O_CREAT : constants.O_RDWR);
    try {
      if (from === 0) await sync(join(root, RESUMABLE));
      if ((await file.stat()).size < from) throw lost(upload);
      await file.truncate(from); // what is beyond was never counted
    } catch (error) {
      await file.close();
      throw error;
    }
    return pieceOf(file, from, { every: saveEvery, grown: size => ({ ...upload, offset: start + size }), saved });
  }

  async function complete(upload: Upload): ReturnType<Resumable['complete']> {
    const file = await wholeFile(upload);
    await aside.folder();
    const done = file === undefined ? await made(upload) : await aside.adopt(pathTo(file), upload.place, upload.kind);
    if (!isPlain(upload)) await removeFiles(upload.id);
    return done;
  }

  /** The only file, or a copy of all; undefined when it is missing. */
  async function wholeFile(upload: Upload): Promise<string | undefined> {
    const { segments } = heldOf(upload);
    const parts = segments.map(({ file, start }, i) => ({ file, size: (segments[i + 1]?.start ?? upload.length) - start }));
    const [first, ...more] = parts.filter(({ size }) => size > 0);
    if (first === undefined) throw lost(upload);
    const stats = await ifThere(lstat(pathTo(first.file)));
    if (more.length > 0) return stats && await joined(upload, [first, ...more]);
    if (stats !== undefined && stats.size !== upload.length) throw lost(upload);
    return stats && first.file;
  }

  async function joined({ id, length }: Upload, parts: { file: string; size: number }[]): Promise<string> {
    const name = `${id}.${randomUUID()}`;
    const whole = await open(pathTo(name), 'wx');
    try {
      for (const { file, size } of parts) {
        for await (const bytes of createReadStream(pathTo(file), { end: size - 1 })) await whole.writeFile(bytes as Buffer);
      }
      if ((await whole.stat()).size !== length) throw lost({ id });
      await whole.sync();
    } finally {
      await whole.close();
    }
    return name;
  }

  /** The object of an upload whose maker died before it could report success. */
  async function made(upload: Upload): ReturnType<Resumable['complete']> {
    const there = await info(upload.place);
    if (there?.size !== upload.length || there.modified.getTime() < heldOf(upload).began) throw lost(upload);
    return there;
  }

  /** Without its bytes what is there may be its own. */
  async function isReplaced(upload: Upload, since: Date): Promise<boolean> {
    const there = await info(upload.place);
    if (there === undefined || there.modified < since) return false;
    return await ifThere(lstat(pathTo(lastOf(upload).file))) !== undefined;
  }

  async function removeFiles(id: string): Promise<void> {
    const files = await ifThere(readdir(join(root, RESUMABLE))) ?? [];
    await Promise.all(files.filter(file => file === id || file.startsWith(`${id}.`)).map(file => rm(pathTo(file), { force: true })));
  }
}

type Saving = { every: number; grown: (size: number) => Upload; saved: ((upload: Upload) => Promise<void> | void) | undefined };

function pieceOf(file: FileHandle, from: number, { every, grown, saved }: Saving): Piece {
  const writer = fileWriter(file, from);
  let failure: unknown;
  let durable = from;
  let saving: Promise<void> | undefined;
  const clock = setInterval(() => { saving ??= save().catch(fail).finally(() => { saving = undefined; }); }, every);

  return {
    async write(bytes) {
      requireSound();
      await writer.write(bytes).catch(fail);
      requireSound();
    },
    async end() {
      try {
        await settled();
        requireSound();
        return grown(await toDisk());
      } catch (error) {
        return refuse(error);
      } finally {
        await file.close();
      }
    },
    async drop() {
      await settled();
      await file.close();
    },
  };

  async function settled(): Promise<void> {
    clearInterval(clock);
    await saving;
  }

  async function save(): Promise<void> {
    if (writer.size > durable) await saved?.(grown(await toDisk()));
  }

  async function toDisk(): Promise<number> {
    const { size } = writer;
    await file.datasync();
    return durable = size;
  }

  function fail(error: unknown): void {
    failure = error;
  }

  function requireSound(): void {
    if (failure !== undefined) refuse(failure);
  }
}

function fenced(upload: Upload): Upload {
  const { began, segments } = heldOf(upload);
  const { id, offset, length } = upload;
  if (offset === length) return upload; // nothing more is written
  const counted = segments.filter(({ start }) => start < offset);
  return { ...upload, held: { began, segments: [...counted, { file: `${id}.${randomUUID()}`, start: offset }] } satisfies Held };
}

/** Whether the upload is one file, which becomes the object. */
function isPlain(upload: Upload): boolean {
  return heldOf(upload).segments.every(({ file }) => file === upload.id);
}

function heldOf({ held }: Upload): Held {
  return held as Held;
}

function lastOf(upload: Upload): Segment {
  return heldOf(upload).segments.at(-1) as Segment;
}

function lost({ id }: Pick<Upload, 'id'>): Error {
  return new Error(`Bytes of the upload ${id} that had come in are not on this disk.`);
}
