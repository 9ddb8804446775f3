// Completions of an editor where a query is written, asked of the language service of TypeScript.
import { join } from 'node:path';
import { test } from 'tap';
import ts from 'typescript';
import { STRICT_ALONE } from './compiler.ts';

const FILE = join(import.meta.dirname, 'completions.ts');
const HEAD = `import { callFunction, type Client } from '../../client/src/index.ts';
  import { queriesOf } from '../../client/src/query-options.ts';
  import { type Schema } from './store.types.ts';
  declare const db: Client<Schema>;
  declare const live: import('../../client/src/index.ts').Live<Schema>;
  interface Columns { row: { a: string; b: number }; key: never; fields: { a: 'string'; b: 'number' }; relations: {} }
  declare const called: Client<{ version: ''; digits: string; collections: {}; functions: {
    one: { args: { n: number }; value: number }; row: { args: {}; row: Columns }; rows: { args: {}; set: Columns };
  } }>;
`;
const NODE = 'fields include limit logical orderBy where';

/** `|` is where the editor stands; some of the names that it offers there, or all of them. */
const places: [text: string, names: string, all?: 'all'][] = [
  ['db.from(\'orders\').list({ include: { | } })', 'customer order_items shipment', 'all'],
  ['db.from(\'orders\').list({ include: { customer: true, | } })', 'order_items shipment', 'all'],
  ['db.from(\'orders\').list({ include: { order_items: { | } } })', NODE, 'all'],
  ['db.from(\'orders\').list({ include: { order_items: { limit: 1, | } } })', NODE.replace(' limit', ''), 'all'],
  ['db.from(\'orders\').list({ include: { order_items: { include: { | } } } })', 'order product', 'all'],
  ['db.from(\'orders\').list({ include: { order_items: { include: { product: { | } } } } })', NODE, 'all'],
  ['db.from(\'orders\').list({ include: { order_items: { where: { | } } } })', 'quantity product "product.name"'],
  ['db.from(\'orders\').list({ include: { order_items: { include: { product: { where: { | } } } } } })', 'stock "category.slug"'],
  ['db.from(\'orders\').list({ include: { order_items: { fields: [\'|\'] } } })', 'id quantity lineTotal'],
  ['db.from(\'orders\').list({ include: { order_items: { orderBy: [{ field: \'|\' }] } } })', 'quantity max(product.name)'],
  ['db.from(\'orders\').get(1, { include: { order_items: { include: { | } } } })', 'order product', 'all'],
  ['queriesOf(db, \'orders\').list({ include: { | } })', 'customer order_items shipment', 'all'],
  ['queriesOf(db, \'orders\').list({ include: { customer: { | } } })', NODE, 'all'],
  ['callFunction(called, \'|\')', 'one row rows', 'all'],
  ['callFunction(called, \'one\', { | })', 'n', 'all'],
  ['callFunction(called, \'row\', {}, { | })', 'deleted fields include', 'all'],
  ['callFunction(called, \'rows\', {}, { fields: [\'|\'] })', 'a b', 'all'],
  ['live.from(\'orders\').subscribe({ include: { | } }, () => undefined)', 'customer order_items shipment', 'all'],
];

test('an editor completes relations, options and fields at any depth of an include, and functions of all kinds', t => {
  const text = HEAD + places.map(([place]) => `void ${place.replace('|', '')};\n`).join('');
  const service = ts.createLanguageService({
    readFile: path => ts.sys.readFile(path), fileExists: path => path === FILE || ts.sys.fileExists(path),
    getCompilationSettings: () => STRICT_ALONE, getScriptFileNames: () => [FILE], getScriptVersion: () => '1',
    getCurrentDirectory: () => import.meta.dirname, getDefaultLibFileName: options => ts.getDefaultLibFilePath(options),
    getScriptSnapshot(path) {
      const read = path === FILE ? text : ts.sys.readFile(path);
      return read === undefined ? undefined : ts.ScriptSnapshot.fromString(read);
    },
  });
  let start = HEAD.length;
  for (const [place, names, all] of places) {
    const found = service.getCompletionsAtPosition(FILE, start + 'void '.length + place.indexOf('|'), {});
    const offered = found?.isGlobalCompletion ? [] : found?.entries.map(({ name }) => name) ?? [];
    const wanted = names.split(' ');
    t.same(offered.filter(name => all ?? wanted.includes(name)).toSorted(), wanted.toSorted(), place);
    start += place.length - 1 + 'void ;\n'.length;
  }
  t.end();
});
