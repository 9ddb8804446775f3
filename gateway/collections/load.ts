import { type CatalogRows, type CollectionRow } from '../catalog/rows.ts';
import { printable } from '../process/printable.ts';
import { checkNames } from './allowed-names.ts';
import { type CollectionFiles } from './collection-files.ts';
import { type Definition, type PropertyDefinition, type Report } from './definition.ts';
import { checkForm, type Place } from './form.ts';
import { checkedIndexes } from './indexes.ts';
import { isObject, without, type JsonObject } from './json-file.ts';
import { modelOf, type Model } from './model.ts';
import { humanize, singular } from './names.ts';
import { refuseOfCollection } from './not-built.ts';
import { functionsOf, mask } from './masks.ts';
import { patternsOf } from './patterns.ts';
import { DEFAULTS_FILE, readDirectory, type File } from './read-directory.ts';
import { relateAll } from './relations.ts';
import { normalRules, type GivenRules } from './rules.ts';
import { checkedSearch, languagesOf } from './search.ts';
import { tenantOf } from './tenants.ts';

/** What a key that nobody knows is. */
export type Strictness = 'warn' | 'error' | 'off';

/** A definition, and the names of its properties that are wrong in themselves. */
type Sound = { file: string; definition: Definition; broken: ReadonlySet<string> };

/**
 * Reads the collection files of a directory, checks all of them and brings them to catalog rows.
 * Undefined when there is none. Problems and warnings are lines, in no case thrown.
 */
export function loadCollections(directory: string, strictness: Strictness): CollectionFiles | undefined {
  const [problems, warnings] = [new Set<string>(), new Set<string>()];
  const report: Report = (path, problem) => { problems.add(line(path, problem)); };
  const warn: Report = (path, warning) => { warnings.add(line(path, warning)); };
  const unknownKey = { error: report, warn, off: () => undefined }[strictness];
  const found = readDirectory(directory, report);
  if (found === undefined || found.collections.length === 0 && problems.size === 0) return undefined;

  const defaults = found.defaults === undefined ? [] : soundRules(found.defaults, report, unknownKey);
  const sounds = found.collections.flatMap(file => soundDefinition(file, report, unknownKey));
  const models = modelsOf(sounds, report);
  const named = found.collections.flatMap(({ value }) => isObject(value) && typeof value['slug'] === 'string' ? [value['slug']] : []);
  const unreadable = new Set([...found.unreadable, ...named]);
  const relations = relateAll(models, unreadable, report);
  for (const model of models.values()) mask(model, report);
  const rows: CatalogRows = {
    collections: [...models.values()].map(model => collectionRow(model, defaults, report, warn)),
    properties: [...models.values()].flatMap(model => inOrder(model)),
    relations,
  };
  checkNames(rows, models, report);
  return { rows, patterns: patternsOf(rows), languages: languagesOf(rows), problems: [...problems], warnings: [...warnings] };
}

function line(path: string, problem: string): string {
  return printable(`${path}: ${problem}`);
}

function soundRules({ value }: File, report: Report, unknownKey: Report): GivenRules {
  const wrong = checkForm('defaults', value, DEFAULTS_FILE, { problem: report, unknownKey });
  return (isObject(value) ? sound(value, wrong)['defaultSecurityRules'] as GivenRules | undefined : undefined) ?? [];
}

function soundDefinition({ name, value }: File, report: Report, unknownKey: Report): Sound[] {
  if (!isObject(value)) return report(name, 'must hold one JSON object') ?? [];
  const slug = typeof value['slug'] === 'string' && value['slug'] !== '' ? value['slug'] : undefined;
  const root = slug ?? name;
  const wrong = checkForm('collection', value, root, { problem: report, unknownKey });
  refuseOfCollection(root, value, report);
  if (slug === undefined || wrong.some(place => place[0] === 'slug')) return [];
  const broken = wrong.flatMap(([key, property]) => key === 'properties' && property !== undefined ? [property] : []);
  return [{ file: name, definition: sound(value, wrong) as Definition, broken: new Set(broken) }];
}

/** What is wrong is taken out, so that the rest can be judged; an element of a list becomes null. */
function sound(value: JsonObject, wrong: Place[]): JsonObject {
  let copy = structuredClone(value);
  for (const [key = '', inner, ...rest] of wrong) {
    const holder = copy[key];
    if (Array.isArray(holder) && inner !== undefined) holder[Number(inner)] = null;
    else if (isObject(holder) && inner !== undefined && key === 'properties') holder[inner] = soundProperty(holder[inner], rest);
    else copy = without(copy, key);
  }
  return copy;
}

/** Of a property, the key that is wrong; one that is wrong as a whole becomes plain text. */
function soundProperty(property: unknown, [key, part, ...rest]: Place): unknown {
  if (key === undefined || !isObject(property)) return { type: 'string' } satisfies PropertyDefinition;
  const parts = property[key];
  return key === 'properties' && part !== undefined && isObject(parts)
    ? { ...property, properties: { ...parts, [part]: soundProperty(parts[part], rest) } }
    : without(property, key);
}

function modelsOf(sounds: Sound[], report: Report): Map<string, Model> {
  const slugs = new Set(sounds.map(({ definition: { slug } }) => slug));
  const models = new Map<string, Model>();
  for (const { file, definition, broken } of sounds) {
    const model = modelOf(definition, broken, slugs, report);
    if (!models.has(model.slug)) models.set(model.slug, model);
    else report(`${model.slug}.slug`, `stands in ${sounds.find(other => other.definition.slug === model.slug)?.file ?? ''} and in ${file}`);
  }
  return models;
}

function inOrder({ properties }: Model) {
  return [...properties.values()].sort((a, b) => a.position - b.position).map((row, i) => ({ ...row, position: i + 1 }));
}

function collectionRow(model: Model, defaults: GivenRules, report: Report, warn: Report): CollectionRow {
  const { slug, definition, schema, table } = model;
  checkSoftDelete(model, report);
  const own = definition.securityRules ?? [];
  const search = checkedSearch(definition, model, report);
  const tenant = tenantOf(definition);
  const [rules, path] = own.length > 0 ? [own, `${slug}.securityRules`] : [defaults, `${slug}, by ${DEFAULTS_FILE}: defaultSecurityRules`];
  return {
    slug,
    source: 'file',
    name: definition.name ?? humanize(slug),
    singular_name: definition.singularName ?? humanize(singular(slug)),
    description: definition.description ?? null,
    schema_name: schema,
    table_name: table,
    key: [...model.properties.values()].filter(({ attributes }) => attributes.isId !== undefined).slice(0, 1).map(({ name }) => name),
    exposed: definition.exposed ?? true,
    read_only: definition.readOnly ?? false,
    strict_writes: definition.strictWrites ?? true,
    callbacks: functionsOf(definition),
    definition: {
      ...withoutPanels(definition),
      disableDefaultPolicies: definition.disableDefaultPolicies ?? false,
      securityRules: normalRules(rules, { model, path }, report, warn),
      ...(rules === defaults && defaults.length > 0 && { securityRulesFrom: path }),
      indexes: checkedIndexes(definition.indexes ?? [], model, report),
      ...(search !== undefined && { search }),
      ...(tenant !== undefined && { tenant }),
    },
  };
}

/** The stamp is a column that is empty while the row is there. */
function checkSoftDelete({ slug, definition: { softDelete = false }, properties }: Model, report: Report): void {
  if (softDelete === false) return;
  const field = softDelete === true ? 'deletedAt' : softDelete.field;
  const property = properties.get(field);
  if (property?.type !== 'date') report(`${slug}.softDelete`, `needs a date property ${field}`);
  else if (property.not_null) report(`${slug}.softDelete`, `${field} is required, but a row that is not deleted has none`);
  else if (property.generated || property.attributes.column.default !== null) {
    report(`${slug}.softDelete`, `${field} must be empty in a new row: it may have no default`);
  }
}

function withoutPanels({ properties = {}, ...definition }: Definition): JsonObject {
  const bare = Object.entries(properties).map(([name, property]) => [name, without(property, 'admin')]);
  return { ...without(definition, 'admin', '$schema'), properties: Object.fromEntries(bare) as object };
}
