import { resolve } from 'node:path';
import type postgres from 'postgres';
import type { CollectionFiles } from '../collections/collection-files.ts';
import { withoutHistory } from '../collections/history.ts';
import { loadCollections } from '../collections/load.ts';
import type { Instead } from '../collections/read-directory.ts';
import type { Config } from '../features/config.ts';
import { BootError } from '../error.ts';
import type { ProjectFolder } from '../features/schema/options.ts';

/**
 * The source of the catalog: the tables as they are (`instead` of files that were looked for in this folder, unless tables were asked for);
 * collection files, which boot applies; or the result of another process.
 */
export type Source =
  | { kind: 'tables'; schema: string; unprotected: 'skip' | 'serve'; instead: string | undefined }
  | { kind: 'files'; files: CollectionFiles }
  | { kind: 'kept' };

/** A project of files that has none yet: nothing is served. */
const NOTHING: CollectionFiles = { project: { collections: [], defaults: [], unreadable: [] }, problems: [], warnings: [] };

/**
 * Files, where there are any; they are read here and judged when the database is open.
 * @throws BootError for a folder that was named and holds none: served from its tables a database may show what the files close.
 */
export function sourceOf(config: Config): Source {
  const { source, introspectSchema: schema, unprotectedTables: unprotected } = config;
  if (source === 'tables') return { kind: 'tables', schema, unprotected, instead: undefined };
  const folder = resolve(config.collectionsDir);
  const files = filesOf(config);
  if (files !== undefined) return { kind: 'files', files };
  if (source === 'files') return { kind: 'files', files: NOTHING };
  if (!config.collectionsDirNamed) return { kind: 'tables', schema, unprotected, instead: folder };
  throw new BootError(`SERVICE_COLLECTIONS_DIR: there is no collection file in ${folder}. ${CHOICE}`);
}

export type Folder = Pick<Config, 'collectionsDir' | 'strictCollectionConfig' | 'history'>;

/** The content of a project's collection files, as far as it is switched on; undefined when there is none. */
export function filesOf({ collectionsDir, strictCollectionConfig, history }: Folder, instead?: Instead): CollectionFiles | undefined {
  const files = loadCollections(resolve(collectionsDir), strictCollectionConfig, instead);
  return files === undefined || history ? files : withoutHistory(files);
}

/** The project as edits of the schema see it. */
export function projectFolder(config: Config): ProjectFolder {
  const { source, collectionsDir, collectionsDirNamed, liveSchemaRepository: repository } = config;
  const load = (instead?: Instead) => filesOf(config, instead);
  const areServed = source === 'files' || source === 'auto' && (collectionsDirNamed || load() !== undefined);
  return { folder: areServed ? resolve(collectionsDir) : undefined, load, repository };
}

const CHOICE = 'SERVICE_SOURCE=tables serves the tables as they are, SERVICE_SOURCE=files nothing until there is a file.';

/** @throws BootError for a database whose files are gone, unless a setting says what is meant. */
export async function requireFilesAgain(owner: postgres.Sql, source: Source): Promise<void> {
  if (source.kind !== 'tables' || source.instead === undefined) return;
  const slugs = await slugsOfFiles(owner);
  if (slugs.length === 0) return;
  throw new BootError(`The database is that of collection files (${slugs.join(', ')}), and there is none in ${source.instead}. ${CHOICE}`);
}

/** The collections that the database served last, as far as they came from files. */
async function slugsOfFiles(owner: postgres.Sql): Promise<string[]> {
  const [row] = await owner`select to_regclass('service.collections') is not null as exists`;
  if (row?.['exists'] !== true) return [];
  const rows = await owner<{ slug: string }[]>`select slug from service.collections where source = 'file' order by slug`;
  return rows.map(({ slug }) => slug);
}
