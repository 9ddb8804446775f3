import { either, list, mapOf, name, object, oneOf, sqlFunction, text } from '../../json/json-schema.ts';

/** Rules of who may use files, functions that are notified, and sources. Functions are SQL functions. */
export type StorageSetting = {
  authorize?: string;
  policies?: StoragePolicySetting[];
  triggers?: { path: string; events: ('finalize' | 'delete')[]; handler: string }[];
  sources?: Record<string, StorageSourceSetting>;
};
/** `id`: which name of the path is the row's. */
export type StoragePolicySetting = {
  path: string;
  operations?: ('read' | 'write' | 'delete' | 'list')[];
  allow: 'public' | 'authenticated' | { function: string } | { row: string; id: string };
};
export type StorageSourceSetting = { engine: 'local' | 's3' | 'gcs'; label?: string; account?: string };

const keyPath = name('Of keys, by segments: a literal, * for one, :name for one that functions are told, ** at the end for any number.', {
  examples: ['posts/:id/**'],
});
const event = oneOf('', 'finalize', 'delete');

const storagePolicy = object('Who may do something with files. Any that allows is enough; what none allows is refused.', {
  path: keyPath,
  operations: list('All four by default.', oneOf('', 'read', 'write', 'delete', 'list'), { minItems: 1 }),
  allow: either(
    'Every caller, every signed-in caller, or those that a SQL function or a row allows: callers that see the row may read and list, those '
    + 'that may change it may write and delete.',
    '"public", "authenticated", {"function": …} or {"row": …, "id": …}',
    { enum: ['public', 'authenticated'] },
    object('', { function: sqlFunction('(request jsonb) returns boolean.') }, ['function']),
    object('', { row: name('Slug of its collection.'), id: name('The name in the path that is its id.') }, ['row', 'id']),
  ),
}, ['path', 'allow']);

export const storageKeys = object('Files.', {
  authorize: sqlFunction('(request jsonb) returns boolean: whether a file may be read, written, deleted, a folder listed.'),
  policies: list('Who may do what, by the keys of files.', storagePolicy),
  triggers: list('SQL functions that are told of files.', object('', {
    path: keyPath,
    events: list('', event, { minItems: 1 }),
    handler: sqlFunction('(event jsonb) returns void.'),
  }, ['path', 'events', 'handler'])),
  sources: mapOf('Where files lie besides the default source, by the names that requests choose them by.', object('', {
    engine: oneOf('', 'local', 's3', 'gcs'),
    label: text('As people read it.'),
    account: name('Whose credentials it has.'),
  }, ['engine'])),
});
