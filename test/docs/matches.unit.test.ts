import { test } from 'tap';
import { blocksOf } from './markdown.ts';
import { matchesJson, matchesText, plainTable } from './matches.ts';

test('an answer is compared with what stands in a document, digits and order included', t => {
  const answer = '{"data":[{"id":44,"price":4.60},\n {"id":53,"price":4.90}],"meta":{"total":2,"nextCursor":"ab.cd"}}';
  t.ok(matchesJson(answer, '{"data": [{"id": 44, "price": 4.60}, …], "meta": {"total": 2, …}}'));
  t.ok(matchesJson(answer, '{"data": […, {"id": 53, …}], "meta": {"total": 2, "nextCursor": "ab.…"}}'));
  t.notOk(matchesJson(answer, '{"data": [{"id": 44, "price": 4.6}, …], "meta": {…}}'), 'a digit is missing');
  t.notOk(matchesJson(answer, '{"data": [{"price": 4.60, "id": 44}, …], "meta": {…}}'), 'the order is another');
  t.notOk(matchesJson(answer, '{"data": [{"id": 44, "price": 4.60}], "meta": {…}}'), 'a row is missing');
  t.notOk(matchesJson(answer, '{"data": [{"id": 44, …, "total": 2, …}}'), 'what is left out is whole');
  t.notOk(matchesJson(answer, '{"data": […], "meta": {"total": 2, …}}}'), 'there is more than the answer');
  t.end();
});

test('a table is compared without what only lines it up', t => {
  t.equal(plainTable(' a |  b \n---+----\n 1 | x |y\n(1 row)\n'), 'a | b\n1 | x |y');
  t.ok(matchesText('a\n1 ms', 'a\n… ms'));
  t.notOk(matchesText('a\n1 ms', 'a\n… s.'));
  t.end();
});

test('an answer belongs to the example right above it', t => {
  const blocks = blocksOf('```sh\ncurl\n```\n```json\n{}\n```\n\n```sql\nselect 1\n```\ntext between\n```text\n1\n```\n');
  t.strictSame(blocks.map(({ language, answer }) => [language, answer?.text]), [['sh', '{}\n'], ['sql', undefined], ['text', undefined]]);
  t.end();
});
