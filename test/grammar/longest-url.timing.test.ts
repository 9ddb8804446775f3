import { test } from 'tap';
import { ApiError } from '../../gateway/error.ts';
import { parseRead } from '../../gateway/grammar/read/request.ts';
import { scaled } from '../harness/until.ts';
import { reserved } from './reserved.ts';

/** Milliseconds on the usual machine; quadratic time would be minutes. */
const LIMIT = 500;

const ATOMS = [
  '(', ')', 'and(', 'and(a,', '\\', '(\\)', ',', '.', 'a.in.(', '[', '{"a":', '1', '-', 'a:', ' ', '%20', '+', 'a=b&', 'limit=1&', '*.',
  '"', 'eq.', 'e', '==',
  '0.',
];

function parse(query: string): void {
  try {
    parseRead(['album'], query, { defaultLimit: 50, maxLimit: 1000, maxIncludeLimit: Number.MAX_SAFE_INTEGER });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

test('the longest URL takes milliseconds, with any repetition', t => {
  let most = 0;
  for (const atom of ATOMS) {
    const text = atom.repeat(32_768 / atom.length);
    for (const key of ['f', ...reserved]) {
      const start = performance.now();
      parse(`${key}=${text}`);
      parse(`${key}=${text}!`);
      const elapsed = performance.now() - start;
      if (elapsed > scaled(LIMIT)) t.fail(`${key}=${atom}… took ${elapsed} ms`);
      most = Math.max(most, elapsed);
    }
  }
  t.comment(`${Math.round(most)} ms at most`);
  t.end();
});
