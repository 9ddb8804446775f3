import { test } from 'tap';
import fc from 'fast-check';
import { random } from '../harness/effort.ts';
import { searched } from './articles.ts';
import { query } from './client.ts';

const nasty = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(fc.constantFrom('"', '\'', '\\', '&', '|', '!', '(', ')', '<->', '<2>', ':*', ':A', '%', '_', 'tea', 'the', '-', '\n', '\t',
    '\u0001', '\u0002', '<mark>', 'é', '茶', '🍵', '‮', 'a-b', 'http://a.b/c?d', '1e400', '{}', '$1', '--', ';', '*',
    '@@'), { maxLength: 20 }).map(parts => parts.join('')),
  fc.array(fc.constantFrom('"', '\'', '&', 'tea', 'green', 'xx'), { maxLength: 20 }).map(parts => parts.join(' ')),
);

test('no search text is an error', async t => {
  const { get, read } = await searched(t, { language: 'english', mode: 'hybrid', unaccent: true, fuzzy: true });
  const path = (searchString: string) =>
    `articles?${query({ searchString, searchExplain: 'true', orderBy: '_score:desc', limit: 2, fields: 'id' })}`;
  await fc.assert(fc.asyncProperty(nasty, async text => {
    const { status, body } = await read(path(text));
    if (text.trim() === '') return status === 400 && body.error.code === 'UNKNOWN_ORDER_BY_FIELD';
    if (status === 400 && body.error.code === 'INVALID_FILTER_VALUE') return text.includes('\0') || !text.isWellFormed();
    return status === 200;
  }), random(300));
  for (const text of [
    'tea '.repeat(4000), Array.from({ length: 3500 }, (_, i) => `w${i}`).join(' '), '"'.repeat(9000), '" "'.repeat(2500),
    'x'.repeat(20_000), '"a b" '.repeat(2000),
  ]) {
    const answer = await read(path(text));
    t.equal(answer.status, 200, `${text.slice(0, 12)}… ${answer.text.slice(0, 200)}`);
  }
  t.equal((await get(path('"green tea" '.repeat(30)))).data[0].id, 1);
});
