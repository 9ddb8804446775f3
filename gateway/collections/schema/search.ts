import { bool, either, list, name, number, object, oneOf } from '../../json/json-schema.ts';

const path = name('A string, a list of strings, a map, or a path in a map, such as attributes.material.');
const weight = oneOf('How much a hit counts: A most, D least; default B.', 'A', 'B', 'C', 'D');

export const search = object('Ranked text search, by searchString.', {
  fields: list('What is searched.', either('', 'a path or {path, weight}', path, object('', { path, weight }, ['path'])), { minItems: 1 }),
  language: name('Text search configuration, which knows stop words and stems: english, german … Default simple, which knows none.', {
    default: 'simple',
    pattern: '^[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?$',
    'x-expected': 'the name of a text search configuration, such as english',
  }),
  mode: { ...oneOf('fts: words. hybrid: also parts of words.', 'fts', 'hybrid'), default: 'fts' },
  unaccent: bool('Accents make no difference. Needs the extension unaccent.', false),
  fuzzy: bool('Also words that are alike, such as misspelt ones. Needs the extension pg_trgm.', false),
  fuzzyThreshold: number('How alike, from 0 to 1.', { minimum: 0.01, maximum: 1, default: 0.3 }),
  column: { ...name('The generated column of the words; default search_vector.'), default: 'search_vector' },
}, ['fields']);
