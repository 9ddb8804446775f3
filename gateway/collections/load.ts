import { printable } from '../process/printable.ts';
import type { CollectionFiles, Project } from './collection-files.ts';
import type { Place, Report } from '../json/form.ts';
import { checkForm } from './form.ts';
import { inOrder } from './in-order.ts';
import { isObject, without, type JsonObject } from '../json/json-file.ts';
import { refuseOfCollection } from './not-built.ts';
import { DEFAULTS_FILE, readDirectory, type File, type Instead } from './read-directory.ts';

/** The treatment of unknown keys. */
export type Strictness = 'warn' | 'error' | 'off';

/**
 * Reads the collection files of a directory and judges their form; what they mean is for `service_private.define_collections`.
 * Undefined when there is none. Problems and warnings are lines, in no case thrown.
 */
export function loadCollections(directory: string, strictness: Strictness, instead?: Instead): CollectionFiles | undefined {
  const [problems, warnings] = [new Set<string>(), new Set<string>()];
  const report: Report = (path, problem) => { problems.add(line(path, problem)); };
  const warn: Report = (path, warning) => { warnings.add(line(path, warning)); };
  const unknownKey = { error: report, warn, off: () => undefined }[strictness];
  const found = readDirectory(directory, report, instead);
  if (found === undefined || found.collections.length === 0 && problems.size === 0) return undefined;

  const collections = found.collections.flatMap(file => soundDefinition(file, report, unknownKey));
  const named = found.collections.flatMap(({ value }) => isObject(value) && typeof value['slug'] === 'string' ? [value['slug']] : []);
  const sound = new Set(collections.map(({ definition }) => definition['slug']));
  return {
    project: {
      collections,
      defaults: found.defaults === undefined ? [] : soundRules(found.defaults, report, unknownKey),
      unreadable: [...found.unreadable, ...named].filter(slug => !sound.has(slug)),
    },
    problems: [...problems],
    warnings: [...warnings],
  };
}

/** Formats a problem as one line. */
export function line(path: string, problem: string): string {
  return printable(`${path}: ${problem}`);
}

function soundRules({ value }: File, report: Report, unknownKey: Report): unknown[] {
  const wrong = checkForm('defaults', value, DEFAULTS_FILE, { problem: report, unknownKey });
  const rules = isObject(value) ? sound(value, wrong)['defaultSecurityRules'] : undefined;
  return Array.isArray(rules) ? rules : [];
}

function soundDefinition({ name, value }: File, report: Report, unknownKey: Report): Project['collections'] {
  if (!isObject(value)) return report(name, 'must hold one JSON object') ?? [];
  const slug = typeof value['slug'] === 'string' && value['slug'] !== '' ? value['slug'] : undefined;
  const root = slug ?? name;
  const wrong = checkForm('collection', value, root, { problem: report, unknownKey });
  const definition = sound(value, wrong);
  refuseOfCollection(root, definition, report);
  if (slug === undefined || wrong.some(place => place[0] === 'slug')) return [];
  const broken = wrong.flatMap(([key, property]) => key === 'properties' && property !== undefined ? [property] : []);
  return [{ file: name, definition: inOrder(definition), broken: [...new Set(broken)] }];
}

/** Removes the wrong places, so that the rest can be validated; an element of a list becomes null. */
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

/** Removes the wrong key of a property; a property that is wrong as a whole becomes plain text. */
function soundProperty(property: unknown, [key, part, ...rest]: Place): unknown {
  if (key === undefined || !isObject(property)) return { type: 'string' };
  const parts = property[key];
  return key === 'properties' && part !== undefined && isObject(parts)
    ? { ...property, properties: { ...parts, [part]: soundProperty(parts[part], rest) } }
    : without(property, key);
}
