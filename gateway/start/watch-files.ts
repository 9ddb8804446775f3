import { watch } from 'node:fs';
import { basename, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Logger } from 'pino';
import { reasonOf } from '../process/ending.ts';
import { printable } from '../process/printable.ts';
import type { FilesKeeper } from './database.ts';
import type { PlannedStep } from './provision.ts';
import { filesOf, type Folder } from './source.ts';

export type WatchOptions = {
  project: Folder;
  files: FilesKeeper;
  /** Asks at the terminal; undefined where there is none. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
  log: Logger;
};

/** An editor saves in several steps. */
const QUIET = 100;

/** Collection files that are saved are served, once the plan of it was printed; files that are wrong change nothing. */
export function watchFiles(options: WatchOptions): { close: () => void } {
  const folder = resolve(options.project.collectionsDir);
  let timer: NodeJS.Timeout | undefined;
  let turn = Promise.resolve();
  const reloadSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => { turn = turn.then(() => reload(options)); }, QUIET);
  };
  const watcher = watch(folder, (_event, name) => { if (name === null || /\.jsonc?$/.test(name)) reloadSoon(); });
  watcher.on('error', error => { options.log.warn(`${folder} is no longer watched: ${error.message}`); });
  return {
    close() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}

async function reload({ project, files, confirm, log }: WatchOptions): Promise<void> {
  const folder = resolve(project.collectionsDir);
  try {
    const found = filesOf(project);
    if (found === undefined) return log.warn(`There is no collection file left in ${folder}: what is served stays until the next start.`);
    const planned = (await files.plan(found)).filter((step): step is Planned => step.statement !== null);
    for (const step of planned) log.info(`${basename(folder)}: ${inOneLine(step)}`);
    const doubtful = planned.filter(step => losesData(step) || readsLargeTable(step));
    if (doubtful.length > 0 && !await isConfirmed(doubtful, confirm, log)) return;
    await files.apply(found);
    log.info(`${basename(folder)}: reloaded.`);
  } catch (error) {
    log.error(`${basename(folder)}: not reloaded.`);
    for (const line of reasonOf(error).split('\n')) log.error(line);
  }
}

type Planned = PlannedStep & { statement: string };

async function isConfirmed(doubtful: Planned[], confirm: WatchOptions['confirm'], log: Logger): Promise<boolean> {
  const what = 'would lose data, or read or lock a large table';
  if (confirm === undefined) {
    log.warn(`Not reloaded: ${doubtful.length} of these statements ${what}. The next start runs them.`);
    return false;
  }
  const isYes = await confirm(`${doubtful.map(inOneLine).join('\n')}\n${what}. Run it? [y/N] `);
  if (!isYes) log.warn('Not reloaded. The next start runs these statements, unless the files change.');
  return isYes;
}

function inOneLine({ statement }: Planned): string {
  return printable(statement.replaceAll(/\s+/g, ' '));
}

function losesData({ statement }: Planned): boolean {
  return /\b(drop (table|column|type|schema)|truncate|delete from)\b|\balter column \S+ type\b/i.test(statement);
}

/** Rows from which reading a whole table slows down concurrent writers noticeably. */
const LARGE = 100_000;

function readsLargeTable({ effect, row_estimate: rows }: Planned): boolean {
  return (effect === 'scan' || effect === 'rewrite') && (rows ?? 0) >= LARGE;
}

/** At the terminal that the service was started in. */
export async function askAtTerminal(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  terminal.on('SIGINT', () => { process.kill(process.pid, 'SIGINT'); });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
