import { availableParallelism } from 'node:os';
import { startProcess, type Outcome, type TestProcess } from './process.ts';

/** How a file, or the end of a process, ended. `files`: what runs again where it failed. */
export type Result = Outcome & { folder: string; name: string; files: string[] };

export type Runner = {
  /** Runs the files in so many processes at a time, and reports each when it is over. */
  run: (files: string[], report: (result: Result) => void, jobs?: number) => Promise<void>;
  /** Runs what failed by itself, in a process of its own. */
  again: (result: Result) => Promise<Result>;
  /** Kills what runs, and starts nothing more. */
  stop: () => void;
  isStopped: () => boolean;
};

/** Files that wait, and the number of processes that run files of the folder. */
type Folder = { name: string; waiting: string[]; processes: number };

/**
 * A process takes the files of one folder after the other, since what they import is loaded once; if it ended in a file, another
 * takes those that are left.
 */
export function createRunner(): Runner {
  const processes = new Set<TestProcess>();
  let isStopped = false;
  return { run, again, stop, isStopped: () => isStopped };

  async function run(files: string[], report: (result: Result) => void, jobs = availableParallelism()): Promise<void> {
    const folders = [...Map.groupBy(files, folderOf)].map(([name, waiting]): Folder => ({ name, waiting, processes: 0 }));
    await Promise.all(Array.from({ length: jobs }, async () => {
      while (!isStopped && neediest(folders)) await inProcess(process => runThrough(folders, process, report));
    }));
  }

  async function again({ folder, name, files }: Result): Promise<Result> {
    return inProcess(async process => {
      const outcomes: Outcome[] = [];
      for (const file of files) if (!process.isGone()) outcomes.push(await process.run(file));
      const end = await process.end();
      const failed = [...outcomes, end].find(({ ok }) => !ok);
      return { folder, name, files, ...(failed ?? outcomes[0] ?? end) };
    });
  }

  async function inProcess<T>(work: (process: TestProcess) => Promise<T>): Promise<T> {
    const process = startProcess();
    processes.add(process);
    try {
      return await work(process);
    } finally {
      processes.delete(process);
    }
  }

  async function runThrough(folders: Folder[], process: TestProcess, report: (result: Result) => void): Promise<void> {
    const files: string[] = [];
    let last = '';
    for (let folder = neediest(folders); folder && !isStopped && !process.isGone(); folder = neediest(folders)) {
      folder.processes += 1;
      last = folder.name;
      await runFolder(folder, process, result => { files.push(...result.files); report(result); });
      folder.processes -= 1;
    }
    const end = await process.end();
    if (!end.ok) report({ folder: last, name: `the end of a process, after ${files.at(-1) ?? 'nothing'}`, files, ...end });
  }

  async function runFolder({ name: folder, waiting }: Folder, process: TestProcess, report: (result: Result) => void): Promise<void> {
    for (let file = waiting.shift(); file !== undefined; file = isStopped || process.isGone() ? undefined : waiting.shift()) {
      report({ folder, name: file, files: [file], ...await process.run(file) });
    }
  }

  function stop(): void {
    isStopped = true;
    for (const process of processes) process.kill();
  }
}

function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

/** Their files are few and long: begun late, all others would be over long before them. */
const FIRST = ['test/docs', 'test/boot', 'test/editing'];

/** A folder without a process, of those the one with the most files; then the folder with the most files left. */
function neediest(folders: Folder[]): Folder | undefined {
  const rank = ({ name }: Folder) => FIRST.includes(name) ? 0 : 1;
  return folders
    .filter(({ waiting }) => waiting.length > 0)
    .sort((a, b) => a.processes - b.processes || rank(a) - rank(b) || b.waiting.length - a.waiting.length)[0];
}
