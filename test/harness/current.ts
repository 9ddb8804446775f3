import type { Test } from 'tap';

let test: Test | undefined;

/** From here on this is the test of the file that runs. */
export function enter(file: Test): void {
  test = file;
}

export function current(): Test {
  if (!test) throw new Error('No test file runs in this process.');
  return test;
}
