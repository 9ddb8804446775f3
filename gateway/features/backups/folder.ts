import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { letGo, openAt, statOf } from '../../blobs/local/descriptor.ts';
import { readFrom } from '../../blobs/local/file-source.ts';
import { ifThere } from '../../blobs/local/refusal.ts';
import { fileWriter } from '../../blobs/file-writer.ts';
import { isGone, ownName } from '../../process/process-name.ts';
import type { Destination, Receiving, Stored } from './destination.ts';
import { isOfBackup } from './names.ts';

/** Begins the name of a file that is on its way; then comes that of the process. */
const PARTIAL = '.partial-';
/** Milliseconds after which a file of another machine is not on its way any more. */
const ABANDONED = 20 * 3_600_000;
const OWNER = 0o600;

export function openFolder(path: string): Destination {
  const folder = resolve(path);
  return {
    kind: 'local',
    keyOf: name => join(folder, name),
    async list() {
      const entries = await ifThere(readdir(folder, { withFileTypes: true })) ?? [];
      const files = entries.filter(entry => entry.isFile() && isOfBackup(entry.name));
      const found = await Promise.all(files.map(({ name }) => storedAt(folder, name)));
      return found.filter(file => file !== undefined);
    },
    open: openKey,
    receive,
    remove: async name => { await ifThere(unlink(join(folder, name))); },
    sweep,
    close: () => undefined,
  };

  /** A link is not followed, so nothing outside of the folder is read. */
  async function openKey(key: string): ReturnType<Destination['open']> {
    if (key.includes('\0') || key !== join(folder, basename(key)) || !isOfBackup(basename(key))) return undefined;
    const file = await openAt(key, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
    if (file === undefined) return undefined;
    const found = statOf(file);
    if (!found.isFile()) {
      letGo(file);
      return undefined;
    }
    return {
      size: found.size,
      read: (span = { start: 0, end: found.size - 1 }) => readFrom(file, span),
      close: () => { letGo(file); },
    };
  }

  async function receive(name: string): Promise<Receiving> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const partial = join(folder, `${PARTIAL}${ownName()}`);
    const file = await open(partial, 'wx', OWNER);
    const drop = async (): Promise<void> => {
      await file.close();
      await ifThere(unlink(partial));
    };
    return {
      file: { descriptor: file.fd, path: partial },
      write: fileWriter(file).write,
      async finish() {
        await file.sync();
        await file.close();
        await rename(partial, join(folder, name));
        await syncFolder(folder);
      },
      drop,
    };
  }

  async function sweep(): Promise<void> {
    const names = (await ifThere(readdir(folder)) ?? []).filter(name => name.startsWith(PARTIAL));
    for (const name of names) {
      const gone = isGone(name.slice(PARTIAL.length));
      const found = gone === false ? undefined : await ifThere(stat(join(folder, name)));
      if (gone === true || (found !== undefined && Date.now() - found.mtimeMs > ABANDONED)) await ifThere(unlink(join(folder, name)));
    }
  }
}

/** A backup at a path of its own. */
export function openFile(path: string): ReturnType<Destination['open']> {
  const file = resolve(path);
  return openFolder(dirname(file)).open(file);
}

async function storedAt(folder: string, name: string): Promise<Stored | undefined> {
  const found = await ifThere(stat(join(folder, name)));
  return found && { key: join(folder, name), name, size: found.size, modified: found.mtime };
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
