import fc from 'fast-check';
import t from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { readBody, type Body } from '../../gateway/grammar/write/body.ts';
import { random } from '../harness/effort.ts';

const TURN = 256 * 1024;

async function read(text: string | Buffer): Promise<Body> {
  return readBody(Buffer.from(text));
}

function refused(text: string | Buffer, message: RegExp) {
  return t.rejects(read(text), { status: 400, code: 'BAD_REQUEST', message }, String(text).slice(0, 40));
}

/** JSON as people and programs write it: with blanks between any two parts of it, and escapes where there need be none. */
const blank = fc.constantFrom('', '', ' ', '\n', '\t\r ');
const string = fc.oneof(fc.string({ unit: 'grapheme' }),
  fc.constantFrom('$inc', '$push', '"', '\\', '{', '}', '[', ']', ':', ',', 'é', '__proto__', ''))
  .chain(text => fc.boolean().map(escapes => escapes ? `"${escaped(text)}"` : JSON.stringify(text)));
const { json } = fc.letrec<{ json: string }>(tie => ({
  json: fc.oneof({ maxDepth: 4 }, fc.constantFrom('null', 'true', '-1.5e3', '0'), string,
    fc.array(fc.tuple(blank, tie('json'), blank).map(parts => parts.join(''))).map(items => `[${items.join(',')}]`),
    fc.array(fc.tuple(string, blank, tie('json')).map(([name, space, value]) => `${name}${space}:${space}${value}`)).map(items =>
      `{${items.join(',')}}`)),
}));

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
}

void t.test('the names are those that a parser finds, and the text is what was sent', async t => {
  await fc.assert(fc.asyncProperty(fc.tuple(blank, json, blank), async ([before, value, after]) => {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      return read(before + value + after).then(() => false, (error: unknown) => error instanceof ApiError);
    }
    const { text, names, operations = {} } = await read(before + value + after);
    const isAnother = ([name, operation]: [string, string]) =>
      JSON.stringify(Object.keys(Object(Object.entries(parsed).find(([key]) => key === name)?.[1]) as object)) !== JSON.stringify([
        operation,
      ]);
    return text === value && !Object.entries(operations).some(isAnother)
      && JSON.stringify(names.toSorted()) === JSON.stringify(Object.keys(parsed).sort());
  }), random(3000));
  t.same(await read(''), { text: '{}', names: [] });
  t.same(await read(' \n'), { text: '{}', names: [] });
  t.same(await read('\ufeff{"a":1}'), { text: '{"a":1}', names: ['a'] }, 'without its byte order mark');
});

void t.test('a name whose value is one operation is reported', async t => {
  const operations = async (text: string) => (await read(text)).operations;
  t.same(await operations('{"b": {"$inc": 1}, "a": { "\\u0024push" :[{"$inc":1}]}, "c": {"$merge": {"$pull": 1}}}'),
    { a: '$push', b: '$inc', c: '$merge' });
  for (const value of [
    '{}', '{"$set":1}', '{"$inc":1,"x":2}', '{"x":2,"$inc":1}', '{"a":1,"b":2,"$inc":3}', '[{"$inc":1}]', '"$inc"', '{"x":{"$inc":1}}',
  ]) {
    t.equal(await operations(`{"a":${value}}`), undefined, value);
  }
  t.equal(await operations('{"a":{"$inc":1},"a":1}'), undefined, 'of two values the last one');
  t.same(await operations('{"a":1,"a":{"$inc":1}}'), { a: '$inc' });
});

void t.test('anything but one object is refused', async t => {
  for (const text of ['[]', '7', 'null', '"{}"', 'x']) await refused(text, /must be a JSON object/);
  const broken = [
    '{', '{"a":"}', '{}}', '{}{}', '{},"op":"delete"', '{"a":1}]', '{"a":1}}{"b":{', '{"a":"\\"}', '{} x', '{"\\x":1}', '{:1}', '{"a":[}',
  ];
  for (const text of broken) await refused(text, /not valid JSON/);
  await refused(Buffer.from([...Buffer.from('{"a":"'), 0xff, ...Buffer.from('"}')]), /not valid JSON/);
  t.end();
});

void t.test('values passed on as part of a request stay in place', async t => {
  const part = fc.constantFrom('{', '}', '[', ']', '"', '\\', ':', ',', 'a', '"op":"delete"', ' ');
  await fc.assert(fc.asyncProperty(fc.array(part, { maxLength: 12 }), async parts => {
    const found = await read(`{${parts.join('')}`).catch(() => undefined);
    if (!found) return;
    const whole = ((): unknown => { try { return JSON.parse(`{"op":"create","body":${found.text}}`); } catch { return undefined; } })();
    if (whole === undefined) return; // the database says so
    t.strictSame(Object.keys(whole as object), ['op', 'body'], found.text);
    t.equal((whole as { op: string }).op, 'create', found.text);
  }), random(5000));
});

void t.test('a long body is read in turns, to the same end wherever a turn begins', async t => {
  for (const filling of ['[', '"', '\\"', 'é', '\\u00e9', '😀', ' ']) {
    for (const offset of [0, 1, 2, 3, 4, 5]) {
      const size = Math.ceil((2 * TURN + 10) / Buffer.byteLength(filling));
      const value = filling === '[' ? '['.repeat(size) + ']'.repeat(size) : filling === '"' ? `[${'"",'.repeat(size)}1]`
        : filling === ' ' ? `${' '.repeat(size)}1` : `"${filling.repeat(size)}"`;
      const text = `{"${'x'.repeat(offset)}":${value},"last":1}`;
      const found = await read(text);
      t.ok(found.text === text, filling);
      t.same(found.names, ['x'.repeat(offset), 'last']);
    }
  }
  let turns = 0;
  const count = (): void => { turns++; if (!over) setImmediate(count); };
  let over = false;
  setImmediate(count);
  await read(`{"a":${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}}`);
  over = true;
  t.ok(turns > 30, `${turns} turns for ten megabytes of brackets`);
});

void t.test('of very many names no more are kept than a table could have', async t => {
  const { names } = await read(`{${Array.from({ length: 100_000 }, (_, n) => `"${n}":1`).join(',')}}`);
  t.equal(names.length, 3200);
});
