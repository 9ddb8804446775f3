import type { Collection, Relation } from '../../../catalog/document.ts';

/** A collection with what the document calls it, and the related rows that are reached below one of its own. */
export type Named = { collection: Collection; stem: string; tag: string; nested: Nested[] };
export type Nested = { relation: Relation; stem: string };

/** Names that no collection may take. */
const fixedComponents = ['ErrorResponse', 'PaginationMeta'];

/** The tag of the operations that belong to no single collection. */
export const ACROSS = 'Across collections';

/**
 * Gives every collection a stem and a tag, and every to-many relation a stem, each unlike all others. The first of several collections with
 * one name keeps it.
 */
export function nameCollections(collections: Collection[]): Named[] {
  const taken = new Set(fixedComponents);
  const tags = new Set([ACROSS]);
  const named = collections.map(collection => ({
    collection,
    stem: claim(taken, stems(collection), namesOfStem),
    tag: claim(tags, numbered(collection.name, `${collection.name} (${collection.slug})`)),
    nested: [],
  }));
  // Relations come last, so that they never take a name from a collection.
  const slugs = new Set(collections.map(({ slug }) => slug));
  return named.map(entry => ({ ...entry, nested: nameRelations(entry, slugs, taken) }));
}

function nameRelations({ collection, stem }: Named, slugs: ReadonlySet<string>, taken: Set<string>): Nested[] {
  return collection.relations
    .filter(({ single, target }) => !single && slugs.has(target))
    .map(relation => {
      const name = stem + (pascalCase(relation.name) || 'Relation');
      return { relation, stem: claim(taken, numbered(name, name + pascalCase(relation.target)), namesOfRelation) };
    });
}

/** Every name derived from a stem, those of operations that are not served yet included: a published name does not change when they are. */
function namesOfStem(stem: string): string[] {
  return [
    stem, `${stem}Input`, `${stem}Update`,
    ...readsOfStem(stem), `create${stem}`, `update${stem}`, `delete${stem}`,
    `history${stem}`, `revert${stem}`,
    `createMany${stem}`, `updateMany${stem}`, `deleteMany${stem}`,
  ];
}

const namesOfRelation = (stem: string): string[] => [...readsOfStem(stem), `create${stem}`, `update${stem}`, `delete${stem}`];

const readsOfStem = (stem: string): string[] => [`list${stem}`, `count${stem}`, `aggregate${stem}`, `get${stem}ById`];

export function stems({ singularName, name, slug }: Collection): Generator<string> {
  const stem = [singularName, name, slug].map(pascalCase).find(text => text !== '') ?? 'Collection';
  return numbered(stem, stem + pascalCase(slug));
}

/** ASCII words, each with one capital: "order items" is OrderItems. Other characters separate words. */
export function pascalCase(text: string): string {
  return (text.match(/[A-Za-z0-9]+/g) ?? []).map(word => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()).join('');
}

/** The name, its longer form, and then that with a number. */
export function* numbered(name: string, longer: string): Generator<string> {
  yield name;
  yield longer;
  for (let n = 2; ; n++) yield longer + String(n);
}

/** Takes the first spelling of which no name is taken. */
export function claim(
  taken: Set<string>, spellings: Iterable<string>, namesOf: (spelling: string) => string[] = spelling => [spelling],
): string {
  for (const spelling of spellings) {
    const names = namesOf(spelling);
    if (names.some(name => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    return spelling;
  }
  throw new Error('The spellings ran out.');
}
