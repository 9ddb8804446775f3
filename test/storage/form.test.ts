import { randomInt } from 'node:crypto';
import { test } from 'tap';
import { formOf } from '../../gateway/surfaces/storage/form.ts';

const BOUNDARY = 'edge-0123456789';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** What a file may have in it that looks like its end, and what does not. */
const PIECES = ['\r', '\n', '\r\n', '\r\n-', '\r\n--', `\r\n--${BOUNDARY.slice(0, -1)}`, `--${BOUNDARY}`, '\r\r\n--edge', 'x', 'plain '.repeat(30), 'y'.repeat(700)];

const anyOf = (choices: string[]) => choices[randomInt(choices.length)] ?? '';
const some = (most: number) => Array.from({ length: randomInt(most) }, () => anyOf(PIECES)).join('');

test('a file of a form is handed on to the byte, wherever what came is cut', async t => {
  for (let round = 0; round < 2000; round++) {
    const content = some(12);
    const field = some(3);
    if (`\r\n${content}`.includes(`\r\n--${BOUNDARY}`) || `\r\n${field}`.includes(`\r\n--${BOUNDARY}`)) continue;
    const part = (head: string, value: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
    const whole = Buffer.from([part('name="before"', field), part('name="file"; filename="a.txt"', content), part('name="after"', field)].join('') + `--${BOUNDARY}--\r\n`);
    let taken = '';
    const form = formOf(TYPE, () => ({ push(bytes) { taken += Buffer.from(bytes).toString(); } }));
    const longest = 1 + randomInt(800);
    for (let at = 0, next; at < whole.length; at = next) {
      next = at + 1 + randomInt(longest);
      const piece = Buffer.from(whole.subarray(at, next));
      form.push(piece);
      piece.fill('!'); // the memory is used again
    }
    await form.end();
    if (taken !== content || form.fields.get('before') !== field || form.fields.get('after') !== field) {
      t.fail(`round ${round}`, { content, field, longest, taken, fields: [...form.fields] });
      return;
    }
  }
  t.pass('every form');
});
