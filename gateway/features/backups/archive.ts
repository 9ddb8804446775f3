import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { startProgram, type Program, type Started } from '../../client/program.ts';
import { BootError } from '../../error.ts';
import type { Destination } from './destination.ts';
import { isDump, rolesOf } from './names.ts';

/** A dump that can be read again and again. */
export type Archive = {
  name: string;
  /** Starts a program with the dump as its standard input. */
  start: (program: Omit<Program, 'stdin'>) => Promise<Started>;
  /** The roles beside it, as SQL; undefined where they are missing. */
  roles: () => Promise<string | undefined>;
};

/** Finds a dump by its path, its key, or its name at the destination. @throws BootError where there is none. */
export async function findArchive(given: string, destination: Destination | undefined): Promise<Archive> {
  const path = resolve(given);
  const file = await open(path, constants.O_RDONLY).catch(() => undefined);
  const isFile = (await file?.stat())?.isFile() === true;
  await file?.close();
  if (isFile) return fileArchive(path);
  const found = (await destination?.list() ?? []).find(({ key, name }) => isDump(name) && (key === given || name === given));
  if (destination === undefined || found === undefined) throw new BootError(`There is no backup ${given}.`);
  return archiveAt(destination, found.key);
}

/** A dump of the destination, by its key. */
export function archiveAt(destination: Destination, key: string): Archive {
  if (destination.kind === 'local') return fileArchive(key);
  return {
    name: key,
    start: program => fed(destination, key, program),
    async roles() {
      const opened = await destination.open(rolesOf(key));
      if (opened === undefined) return undefined;
      const content = await opened.read();
      return content instanceof Uint8Array ? content.toString() : (await content.toArray()).join('');
    },
  };
}

function fileArchive(path: string): Archive {
  return {
    name: path,
    async start(program) {
      const file = await open(path);
      const started = startProgram({ ...program, stdin: file.fd });
      void file.close(); // the program has it by now; a wait would lose the output of one that ends at once
      return started;
    },
    roles: async () => isDump(basename(path)) ? readFile(rolesOf(path), 'utf8').catch(() => undefined) : undefined,
  };
}

/** A program that has read enough ends, and closes its input. */
async function fed(destination: Destination, key: string, program: Omit<Program, 'stdin'>): Promise<Started> {
  const opened = await destination.open(key);
  if (opened === undefined) throw new BootError(`There is no backup ${key}.`);
  const source = await opened.read();
  const { child, ended } = startProgram({ ...program, stdin: 'pipe' });
  child.stdin?.on('error', () => undefined);
  if (source instanceof Uint8Array) {
    child.stdin?.end(source);
    return { child, ended };
  }
  const broken = new Promise<never>((_, reject) => {
    source.on('error', error => {
      child.kill('SIGKILL');
      reject(new BootError(`The backup ${key} could not be read: ${error.message}`, { cause: error }));
    });
  });
  if (child.stdin !== null) source.pipe(child.stdin);
  const both = Promise.race([ended, broken]).finally(() => source.destroy());
  both.catch(() => undefined);
  return { child, ended: both };
}
