// Runs test files in one process, so that what they import is loaded once: that takes a core a second. Their names come
// in on standard input, one a line; TAP goes out, and after each file its counts.
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { recordAnswers } from './answers.ts';
import { current, end, enter } from './current.ts';

const OF_A_FILE = new URL('tap.ts', import.meta.url).href;
const NO_DOMAIN = new URL('no-domain.ts', import.meta.url).href;

// The declarations of a file belong to the file: the `tap` that it imports is the test of the file, not that of the process.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'async-hook-domain') return next(NO_DOMAIN, context);
    return next(specifier === 'tap' && context.parentURL?.endsWith('.test.ts') ? `${OF_A_FILE}?${context.parentURL}` : specifier, context);
  },
});
const { default: tap } = await import('tap'); // once that is settled

const run = { isOver: false };
process.once('beforeExit', () => { run.isOver = true; });

for await (const file of createInterface(process.stdin)) {
  process.stdin.unref(); // or a test that waits for nothing would wait for ever
  await tap.test(file, async t => {
    enter(t);
    recordAnswers(file);
    await import(pathToFileURL(resolve(file)).href);
  });
  if (run.isOver) break; // tap has ended the test, unfinished, and itself
  process.stdout.write(`# ${JSON.stringify(current().counts)}\n`); // tap would keep a comment back until more comes
  process.stdin.ref();
}
await end();
