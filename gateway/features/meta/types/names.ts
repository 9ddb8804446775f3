import type { Collection } from '../../../catalog/document.ts';
import { claim, numbered, pascalCase, stems } from '../openapi/names.ts';
import { isReadable } from '../openapi/schemas.ts';
import { enumType } from './values.ts';

type Enum = { name: string; values: string };
/** A collection with the stem of its types, and its enums by property. `isOpen`: no row of it is hidden. */
export type Named = { collection: Collection; stem: string; enums: ReadonlyMap<string, Enum>; isOpen: boolean };

/** Names that the file declares by itself, or uses. */
const FIXED = ['Schema', 'Json', 'JsonObject', 'JsonValue', 'Digits', 'Exact', 'Date', 'Partial', 'Record'];

/** Gives every collection a stem, and every enum a name, each unlike all others. The first of several with one name keeps it. */
export function nameTypes(collections: readonly Collection[], openSlugs: readonly string[]): Named[] {
  const taken = new Set(FIXED);
  const stemmed = collections.map(collection => ({ collection, stem: claim(taken, identifiers(stems(collection)), namesOfStem) }));
  return stemmed.map(({ collection, stem }) => {
    const isOpen = openSlugs.includes(collection.slug) && collection.softDelete === null;
    return { collection, stem, enums: enumsOf(collection, stem, taken), isOpen };
  });
}

/** No name of a type begins with a digit, as that of a collection may. */
function* identifiers(spellings: Iterable<string>): Generator<string> {
  for (const spelling of spellings) yield spelling.replace(/^(?=\d)/, 'Collection');
}

function namesOfStem(stem: string): string[] {
  return [stem, `${stem}Create`, `${stem}Update`, `${stem}Collection`];
}

function enumsOf({ properties }: Collection, stem: string, taken: Set<string>): Map<string, Enum> {
  const enums = new Map<string, Enum>();
  for (const property of properties.filter(isReadable)) {
    const values = property.type === 'string' || property.type === 'number' ? enumType(property.attributes.enum) : undefined;
    if (values === undefined) continue;
    const name = stem + (pascalCase(property.name.replaceAll(/([a-z])([A-Z])/g, '$1 $2')) || 'Enum');
    enums.set(property.name, { name: claim(taken, numbered(name, `${name}Value`)), values });
  }
  return enums;
}
