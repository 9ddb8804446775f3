import type postgres from 'postgres';
import type { Test } from 'tap';
import type { CatalogRows, PropertyRow, RelationRow } from '../../gateway/catalog/rows.ts';
import type { CollectionFiles } from '../../gateway/collections/collection-files.ts';
import { line, loadCollections, type Strictness } from '../../gateway/collections/load.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates

/** Sorted lines, those of the form and those of the meaning. */
export type Judged = { problems: string[]; warnings: string[] };
/** The result of collection files. */
export type Loaded = Judged & { rows: CatalogRows };

export type Loader = {
  /** Validates files by their names, in a directory of the test. */
  judge: (t: Test, files: Record<string, object | string>, strictness: Strictness) => Promise<Judged>;
  /** For valid files; every collection has its slug as its file name. */
  load: (t: Test, collections: Record<string, object>, defaults?: object) => Promise<Loaded>;
  /** The one collection of these properties. */
  properties: (t: Test, given: object, more?: Record<string, object>) => Promise<Record<string, PropertyRow>>;
};

/** With a database of its own, in which nothing stays. */
export async function openLoader(t: Pick<Test, 'teardown'>): Promise<Loader> {
  const { sql } = await createDatabase(t, { template: 'served' });
  const judge: Loader['judge'] = (test, files, strictness) => judged(sql, read(test, files, strictness));
  const load: Loader['load'] = async (test, collections, defaults) => {
    const loaded = read(test, named(collections, defaults), 'error');
    const { problems, warnings } = await judged(sql, loaded);
    test.same(problems, []);
    return { problems, warnings, rows: await rowsOf(sql, JSON.stringify(loaded.project)) };
  };
  const properties: Loader['properties'] = async (test, given, more = {}) => {
    const { rows } = await load(test, { things: { properties: given }, ...more });
    return Object.fromEntries(rows.properties.filter(({ collection }) => collection === 'things').map(row => [row.name, row]));
  };
  return { judge, load, properties };
}

/** For valid files; every collection has its slug as its file name. */
export function projectOf(t: Test, collections: Record<string, object>, defaults?: object): string {
  const { project, problems } = read(t, named(collections, defaults), 'error');
  t.same(problems, []);
  return JSON.stringify(project);
}

function named(collections: Record<string, object>, defaults?: object): Record<string, object> {
  const files = Object.entries(collections).map(([slug, definition]) => [`${slug}.json`, { slug, ...definition }] as const);
  return { ...Object.fromEntries(files), ...(defaults && { '_defaults.json': defaults }) };
}

function read(t: Test, files: Record<string, object | string>, strictness: Strictness): CollectionFiles {
  const texts = Object.entries(files).map(([name, content]) => [name, typeof content === 'string' ? content : JSON.stringify(content)]);
  const loaded = loadCollections(t.testdir(Object.fromEntries(texts)), strictness);
  if (loaded === undefined) throw new Error('no files');
  return loaded;
}

export function relations({ rows }: { rows: CatalogRows }): Record<string, RelationRow> {
  return Object.fromEntries(rows.relations.map(row => [`${row.collection}.${row.name}`, row]));
}

async function judged(sql: postgres.Sql, { project, problems, warnings }: CollectionFiles): Promise<Judged> {
  const found = await sql<{ path: string; problem: string; warning: boolean }[]>`
    select * from service.collection_problems(${JSON.stringify(project)}::text::jsonb)`;
  const told = (warning: boolean) => found.filter(problem => problem.warning === warning).map(({ path, problem }) => line(path, problem));
  return {
    problems: [...problems, ...told(false)].sort(),
    warnings: [...warnings, ...told(true)].sort(),
  };
}

/** The rows of a project, which is rolled back. */
export async function rowsOf(sql: postgres.Sql, project: string): Promise<CatalogRows> {
  const undone = new Error('undone');
  let rows: CatalogRows | undefined;
  await sql.begin(async transaction => {
    await transaction`select service_private.store_collections(${project}::text::jsonb)`;
    const [row] = await transaction<{ rows: CatalogRows }[]>`
      select json_build_object(
        'collections', (select coalesce(json_agg(c order by c.slug), '[]') from service.collections c),
        'properties', (select coalesce(json_agg(p order by p.collection, p.position), '[]') from service.properties p),
        'relations', (select coalesce(json_agg(r order by r.collection, r.name), '[]') from service.relations r)) as rows`;
    rows = row?.rows;
    throw undone;
  }).catch((error: unknown) => { if (error !== undone) throw error; });
  return rows ?? { collections: [], properties: [], relations: [] };
}

export const users = { properties: { id: { type: 'string', isId: 'uuid' } } };
