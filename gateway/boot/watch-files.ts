import { watch } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Logger } from 'pino';
import { withoutHistory } from '../collections/history.ts';
import { loadCollections, type Strictness } from '../collections/load.ts';
import { reasonOf } from '../process/ending.ts';
import { printable } from '../process/printable.ts';
import { type FilesKeeper } from './database.ts';
import { type PlannedStep } from './provision.ts';

export type WatchOptions = {
  folder: string;
  strictness: Strictness;
  history: boolean;
  files: FilesKeeper;
  /** Asks whoever sits there; undefined where nobody does. */
  confirm: ((question: string) => Promise<boolean>) | undefined;
  log: Logger;
};

/** An editor saves in several steps. */
const QUIET = 100;

/** Collection files that are saved are served, once the plan of it was printed; files that are wrong change nothing. */
export function watchFiles(options: WatchOptions): { close: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let turn = Promise.resolve();
  const reloadSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => { turn = turn.then(() => reload(options)); }, QUIET);
  };
  const watcher = watch(options.folder, (_event, name) => { if (name === null || /\.jsonc?$/.test(name)) reloadSoon(); });
  watcher.on('error', error => { options.log.warn(`${options.folder} is no longer watched: ${error.message}`); });
  return {
    close() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}

async function reload({ folder, strictness, history, files, confirm, log }: WatchOptions): Promise<void> {
  try {
    const loaded = loadCollections(folder, strictness);
    if (loaded === undefined) return log.warn(`There is no collection file left in ${folder}: what is served stays until the next start.`);
    const found = history ? loaded : withoutHistory(loaded);
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

/** Rows from which reading a whole table is noticed by whoever writes to it meanwhile. */
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
