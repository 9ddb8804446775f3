import { collectionAt, type CatalogDocument, type Collection } from '../../catalog/document.ts';
import type { Group, Include, Leaf, ReadShape } from '../../grammar/read/shape.ts';
import type { WriteShape } from '../../grammar/write/shape.ts';
import type { Ended } from '../../http/server.ts';
import type { Shape } from './slow-shapes.ts';

export type Catalog = { document: CatalogDocument; functionNames: () => readonly string[] };

/** Clients may send any word as a method, and any name in a query: in a shape they would be values. */
const OTHER = '(other)';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Names of one kind that are kept. */
const MOST = 20;

type Asked = Partial<Omit<ReadShape, 'op'> & Omit<WriteShape, 'op'>> & { op?: ReadShape['op'] | WriteShape['op'] };
type Clauses = Pick<ReadShape, 'where' | 'logical' | 'orderBy' | 'include'>;

/** The shape of a request: how it differs from others but for their values. */
export function shapeOf({ method, route, params, work }: Pick<Ended, 'method' | 'route' | 'params' | 'work'>, catalog: Catalog): Shape {
  const { document } = catalog;
  const asked: Asked = work?.shape ?? {};
  const slug = collectionOf(asked, document);
  const collection = document.collections.find(one => one.slug === slug);
  const { filter, sort, include } = namesOf({ ...asked.checked, ...asked }, collection, document);
  const search = asked.search === undefined ? [] : ['(search)'];
  const vector = asked.vector === undefined ? [] : [`(vector) ${knownName(asked.vector.property, collection, document)}`];
  return {
    method: METHODS.includes(method) ? method : OTHER,
    route: routeOf(route?.path, params, asked, catalog),
    collection: collection?.slug,
    filter: distinct([...filter, ...search, ...vector]),
    sort: distinct(sort),
    include: distinct(include),
  };
}

function collectionOf({ path, collection }: Asked, document: CatalogDocument): string | number | undefined {
  return collection ?? (path && collectionAt(path, document));
}

/** The route's pattern; for rows and functions, which share one, with the names that the catalog knows. */
function routeOf(
  pattern: string | undefined, params: Record<string, string>, asked: Asked, { document, functionNames }: Catalog,
): string {
  if (pattern === undefined) return OTHER;
  if (pattern.startsWith('/functions/:name')) {
    const { name = '' } = params;
    return functionNames().includes(name) ? pattern.replace(':name', name) : pattern;
  }
  if (pattern !== '/data/*') return pattern;
  return dataPath(asked, document) ?? pattern;
}

/** Slug, id, relation and so on. Undefined for a batch. */
function dataPath({ op, path, collection, bulk }: Asked, document: CatalogDocument): string | undefined {
  const given = path ?? (collection === undefined || collection === '' ? [] : [collection]);
  if (given.length === 0) return undefined;
  const steps = given.map((_, i) => i % 2 === 1 ? ':id' : nameAt(given, i, document));
  const ofRow = op === 'update' || op === 'delete' ? [':id'] : [];
  const last = bulk !== undefined ? ['bulk'] : op === 'count' || op === 'aggregate' ? [op] : ofRow;
  return `/data/${[...steps, ...last].join('/')}`;
}

function nameAt(path: readonly (string | number)[], at: number, document: CatalogDocument): string {
  const slug = collectionAt(path.slice(0, at + 1), document);
  return document.collections.some(one => one.slug === slug) ? String(path[at]) : OTHER;
}

type Names = { filter: string[]; sort: string[]; include: string[] };

/** Those of included rows carry the name of their relation. */
function namesOf(clauses: Clauses, of: Collection | undefined, document: CatalogDocument): Names {
  const { where = {}, logical, orderBy = [], include = {} } = clauses;
  const known = (name: string) => knownName(name, of, document);
  const filter = [...Object.keys(where), ...logical === undefined ? [] : columnsOf(logical)].map(known);
  const sort = orderBy.map(({ field, direction }) => `${known(field)}${direction === 'desc' ? ' desc' : ''}`);
  const nested = Object.entries(include).map(([name, node]) => ofInclude(name, node, of, document));
  return {
    filter: [...filter, ...nested.flatMap(({ filter }) => filter)],
    sort: [...sort, ...nested.flatMap(({ sort }) => sort)],
    include: nested.flatMap(({ include }) => include),
  };
}

function ofInclude(name: string, node: Include, of: Collection | undefined, document: CatalogDocument): Names {
  const relation = name === '*' ? name : knownName(name, of, document);
  const target = of?.relations.find(one => one.name === name)?.target;
  const names = namesOf(node, document.collections.find(({ slug }) => slug === target), document);
  const below = (list: string[]) => list.map(one => `${relation}.${one}`);
  return { filter: below(names.filter), sort: below(names.sort), include: [relation, ...below(names.include)] };
}

function columnsOf({ conditions }: Group): string[] {
  return conditions.flatMap((one: Group | Leaf) => 'column' in one ? [one.column] : columnsOf(one));
}

/** As far as the catalog knows it: `author.name`, `count(albums)`; of a path into JSON the column. */
function knownName(name: string, of: Collection | undefined, { collections }: CatalogDocument): string {
  if (of === undefined) return OTHER;
  const [, aggregate, inner] = /^(count|sum|avg|min|max)\((.*)\)$/.exec(name) ?? [];
  if (aggregate !== undefined && inner !== undefined) return `${aggregate}(${along(inner, of)})`;
  return along(name, of);

  function along(name: string, of: Collection): string {
    if (of.properties.some(one => one.name === name) || of.relations.some(one => one.name === name)) return name;
    const [column = ''] = name.split('->');
    if (column !== name) return along(column, of);
    const dot = name.indexOf('.');
    const relation = of.relations.find(one => one.name === name.slice(0, dot));
    const target = collections.find(({ slug }) => slug === relation?.target);
    return relation === undefined || target === undefined ? OTHER : `${relation.name}.${along(name.slice(dot + 1), target)}`;
  }
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort().slice(0, MOST);
}
