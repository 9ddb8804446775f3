// A file that is edited says what is wanted, and stays as it was where that is the same.
import { isDeepStrictEqual } from 'node:util';
import { test } from 'tap';
import fc from 'fast-check';
import { editedText } from '../../gateway/collections/edit/edited-text.ts';
import type { JsonObject } from '../../gateway/json/json-file.ts';
import { random } from '../harness/effort.ts';

const anything = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('a', 'b', 'c', '__proto__')), fc.jsonValue({ maxDepth: 3 }));
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonObject;

test('the edited text has the wanted value, replacing any other', t => {
  t.doesNotThrow(() => fc.assert(fc.property(anything, anything, fc.constantFrom(undefined, 2, 4, '\t'), (from, to, indent) => {
    const text = JSON.stringify(from, null, indent);
    return isDeepStrictEqual(JSON.parse(editedText(text, plain(to))), plain(to)) && editedText(text, plain(from)) === text;
  }), random(5_000)));
  t.end();
});

const FILE = `{
    "slug": "posts",   "name" : "Posts",

    "properties": {
        "id": { "type": "string" },
        "tags": { "type": "array", "of": {"type":"string"} },

        "title": { "type": "string", "enum": [ "a", "b",
            "c" ] }
    }
}`;

const cases: [string, (value: any) => unknown, [string, string]][] = [
  ['a value', value => { value.name = 'Articles'; }, ['"Posts"', '"Articles"']],
  ['a key that goes', value => { delete value.name; }, [',   "name" : "Posts"', '']],
  [
    'the last key that goes', value => { delete value.properties.title; },
    [FILE.slice(FILE.indexOf(',\n\n        "title"'), FILE.indexOf('\n    }\n}')), ''],
  ],
  ['a key of a line', value => { value.properties.id.isId = 'uuid'; }, ['{ "type": "string" },', '{ "type": "string", "isId": "uuid" },']],
  ['a key of lines, where it was meant',
    value => { value.properties = { id: value.properties.id, size: { type: 'number' }, ...value.properties }; },
    ['{ "type": "string" },', '{ "type": "string" },\n        "size": {\n            "type": "number"\n        },']],
  ['an element in the middle', value => { value.properties.title.enum.splice(1, 0, 'x'); }, ['"a", "b"', '"a", "x", "b"']],
  ['an element that goes', value => { value.properties.title.enum.splice(0, 1); }, ['[ "a", "b"', '[ "b"']],
];

for (const [what, change, [from, to]] of cases) {
  test(`${what}: nothing else moves`, t => {
    const value = JSON.parse(FILE) as JsonObject;
    change(value);
    t.equal(editedText(FILE, value), FILE.replace(from, to));
    t.equal(editedText(FILE.replaceAll('\n', '\r\n'), value), FILE.replace(from, to).replaceAll('\n', '\r\n'));
    t.end();
  });
}
