import { type CatalogRows, type PropertyRow } from '../catalog/rows.ts';
import { checkLength, SYSTEM_COLUMNS } from './allowed-names.ts';
import { type CollectionFiles } from './collection-files.ts';
import { kindOf, type Definition, type PropertyDefinition, type Report } from './definition.ts';
import { type Model } from './model.ts';

/** A search block as the catalog has it, with everything that a file may leave out. */
export type Search = {
  fields: { path: string; weight: string }[];
  language: string;
  mode: string;
  unaccent: boolean;
  fuzzy: boolean;
  fuzzyThreshold: number;
  column: string;
};

/** Undefined without a block, and for one that is wrong. */
export function checkedSearch({ search }: Definition, model: Model, report: Report): Search | undefined {
  if (search === undefined) return undefined;
  const path = `${model.path}.search`;
  const { language = 'simple', mode = 'fts', unaccent = false, fuzzy = false, fuzzyThreshold = 0.3, column = 'search_vector' } = search;
  const fields = search.fields.map(field => typeof field === 'string' ? { path: field, weight: 'B' } : { weight: 'B', ...field });
  for (const [i, field] of fields.entries()) {
    const at = typeof search.fields[i] === 'string' ? `${path}.fields[${i}]` : `${path}.fields[${i}].path`;
    const isTwice = fields.findIndex(other => other.path === field.path) < i;
    const problem = isTwice ? `${field.path} stands twice` : unsearchable(field.path, model);
    if (problem !== undefined) report(at, problem);
  }
  checkColumn(column, model, report);
  if (mode === 'hybrid' || fuzzy) checkColumn(`${column}_text`, model, report);
  return { fields, language, mode, unaccent, fuzzy, fuzzyThreshold, column };
}

/** The languages of all searches with the places where they stand; which there are, the database knows. */
export function languagesOf({ collections }: CatalogRows): CollectionFiles['languages'] {
  return collections.flatMap(({ slug, definition }) => {
    const search = definition['search'] as Search | undefined;
    return search === undefined ? [] : [{ path: `${slug}.search.language`, language: search.language }];
  });
}

/** Why a path is no text that everybody may search. */
function unsearchable(path: string, model: Model): string | undefined {
  const [name = '', ...keys] = path.split('.');
  const property = model.definition.properties?.[name];
  const row = model.properties.get(name);
  if (model.broken.has(name)) return undefined;
  if (property === undefined) return `${model.slug} has no property ${name}`;
  if (row === undefined) return `${model.slug} has no property ${name} with a column`;
  // The generated column would tell its words to everybody.
  if (isClosed(row)) return `${name} is not for everybody to read, so it cannot be searched`;
  if (row.attributes.masked) return `${name} is masked by afterRead, so it cannot be searched`;
  return unsearchableValue(property, keys, name);
}

function isClosed({ excluded, read_roles: roles }: PropertyRow): boolean {
  return excluded || roles !== null;
}

function unsearchableValue(definition: PropertyDefinition, [key, ...keys]: string[], name: string): string | undefined {
  const kind = kindOf(definition);
  if (kind === 'map') {
    const { properties } = definition;
    if (key === undefined || properties === undefined || definition.keyValue === true) return undefined;
    const part = properties[key];
    return part === undefined ? `${name} has no part ${key}` : unsearchableValue(part, keys, `${name}.${key}`);
  }
  if (key !== undefined) return `${name} is no map, so there is no ${key} in it`;
  const isUuid = definition.columnType === 'uuid' || definition.isId === 'uuid';
  if (definition.enum !== undefined || isUuid) return `${name} is no text; filter by it`;
  if (kind === 'string' || (kind === 'array' && definition.of !== undefined && kindOf(definition.of) === 'string')) return undefined;
  return `${name} is of type ${kind}; strings, lists of strings and maps are searched`;
}

function checkColumn(column: string, model: Model, report: Report): void {
  const path = `${model.path}.search.column`;
  const owner = [...model.properties.values()].find(row => row.column_name === column);
  if (owner !== undefined) report(path, `${column} is the column of ${owner.name}`);
  if (SYSTEM_COLUMNS.has(column)) report(path, `${column} is a system column of every table`);
  checkLength(path, column, 'the column', report);
}
