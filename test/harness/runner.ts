import { startProcess, type Outcome, type TestProcess } from './process.ts';

/** What a file came to, or the end of a process. */
export type Result = Outcome & { folder: string; name: string };

export type Run = { finished: Promise<unknown>; stop: () => void };

/** Files that wait, and how many processes are at work on the folder. */
type Folder = { name: string; waiting: string[]; processes: number };

/**
 * Runs the files in so many processes at a time and reports each when it is over. A process takes the files of one folder after
 * the other, since what they import is loaded once; if it ended in a file, another takes those that are left.
 */
export function runFiles(files: string[], jobs: number, report: (result: Result) => void): Run {
  const folders = [...Map.groupBy(files, folderOf)].map(([name, waiting]): Folder => ({ name, waiting, processes: 0 }));
  const processes = new Set<TestProcess>();
  return { finished: Promise.all(Array.from({ length: jobs }, work)), stop };

  async function work(): Promise<void> {
    while (neediest(folders)) {
      const process = startProcess();
      processes.add(process);
      await runThrough(process);
      processes.delete(process);
    }
  }

  async function runThrough(process: TestProcess): Promise<void> {
    let last = '';
    for (let folder = neediest(folders); folder && !process.isGone(); folder = neediest(folders)) {
      folder.processes += 1;
      last = folder.name;
      await runFolder(folder, process);
      folder.processes -= 1;
    }
    const end = await process.end();
    if (!end.ok) report({ folder: last, name: 'the end of a process', ...end });
  }

  async function runFolder({ name: folder, waiting }: Folder, process: TestProcess): Promise<void> {
    for (let file = waiting.shift(); file !== undefined; file = process.isGone() ? undefined : waiting.shift()) {
      report({ folder, name: file, ...await process.run(file) });
    }
  }

  function stop(): void {
    for (const { waiting } of folders) waiting.length = 0;
    for (const process of processes) process.kill();
  }
}

function folderOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

/** Their files are few and long: begun late, all others would be over long before them. */
const FIRST = ['test/docs', 'test/boot', 'test/editing'];

/** One that no process is at work on, and of those the one with the most files; then who has the most left. */
function neediest(folders: Folder[]): Folder | undefined {
  const rank = ({ name }: Folder) => FIRST.includes(name) ? 0 : 1;
  return folders
    .filter(({ waiting }) => waiting.length > 0)
    .sort((a, b) => a.processes - b.processes || rank(a) - rank(b) || b.waiting.length - a.waiting.length)[0];
}
