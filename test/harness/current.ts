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

/** Whether the file that runs is one that asks for no server. */
export function runsUnit(): boolean {
  return test?.name.endsWith('.unit.test.ts') === true;
}

const works: (() => Promise<void>)[] = [];

/** Does this when the last file of the process is over. */
export function atEnd(work: () => Promise<void>): void {
  works.push(work);
}

export async function end(): Promise<void> {
  for (const work of works) await work();
}
