import { readdirSync, statSync, type Dirent } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BootError } from '../../../error.ts';
import type { Config } from '../../config.ts';

/** Folders of files, each with what such a file exports. */
export type Folder = 'functions' | 'jobs' | 'crons';
/** A file of the project by its name: the part of the URL of a function, the task of a job, the id of a scheduled job. */
export type ProjectFile = { folder: Folder; name: string; path: string };
/** A file that is not loaded. */
export type Refused = { file: string; reason: string };
export type Discovered = { files: ProjectFile[]; refused: Refused[] };

const SERVED = /\.(?:ts|js)$/;
const PASSED_OVER = /^\.|^index\.|^node_modules$|\.test\.\w+$|\.d\.[cm]?ts$/;
const OTHER_CODE = /\.(?:[cm][tj]s|[tj]sx)$/;

/** The folder of that name beside the collection files, else in the working directory. */
export function projectFolder(named: string | undefined, name: Folder, { collectionsDir }: Pick<Config, 'collectionsDir'>): string {
  if (named !== undefined) return resolve(named);
  const beside = join(dirname(resolve(collectionsDir)), name);
  return statSync(beside, { throwIfNoEntry: false })?.isDirectory() ? beside : resolve(name);
}

/** The code files at the top level of a folder of this kind, by name; none where there is no folder. */
export function discover(folder: string, kind: Folder): Discovered {
  const found: Discovered = { files: [], refused: [] };
  const names = new Map<string, string>();
  for (const entry of entriesOf(folder)) {
    if (PASSED_OVER.test(entry.name)) continue;
    const reason = refusal(folder, entry);
    const name = entry.name.replace(SERVED, '');
    const taken = names.get(name);
    if (reason !== undefined) found.refused.push({ file: entry.name, reason });
    else if (!SERVED.test(entry.name)) continue;
    else if (taken !== undefined) found.refused.push({ file: entry.name, reason: `${taken} has its name already` });
    else {
      names.set(name, entry.name);
      found.files.push({ folder: kind, name, path: join(folder, entry.name) });
    }
  }
  return found;
}

/** The files that two lists of names leave. @throws BootError for a name of `only` that no file has; `setting` is its variable. */
export function selected(
  { files, refused }: Discovered, only: readonly string[] | undefined, exclude: readonly string[], setting: string,
): Discovered {
  const unknown = only?.filter(name => !files.some(file => file.name === name)) ?? [];
  if (unknown.length > 0) throw new BootError(`${setting} names ${unknown.join(', ')}, and there is no such file.`);
  return { files: files.filter(({ name }) => (only?.includes(name) ?? true) && !exclude.includes(name)), refused };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1);
  } catch {
    return [];
  }
}

function refusal(folder: string, { name }: Dirent): string | undefined {
  const found = statSync(join(folder, name), { throwIfNoEntry: false });
  if (found?.isDirectory()) return 'a folder: only files at the top level are loaded';
  if (OTHER_CODE.test(name)) return 'only .ts and .js files are loaded';
  return SERVED.test(name) && !found?.isFile() ? 'it cannot be read' : undefined;
}
