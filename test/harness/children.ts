import { readFileSync, readdirSync } from 'node:fs';

/** The process ids of a process's children whose command line has this in it, its workers and perhaps its PostgreSQL. */
export function childrenOf({ pid }: { pid?: number | undefined }, like: string): number[] {
  return readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number).filter(child => {
    const [, parent] = /\) \S (\d+) /.exec(fileOf(child, 'stat')) ?? [];
    return Number(parent) === pid && fileOf(child, 'cmdline').includes(like);
  });
}

/** A zombie has no command line. */
export function isRunning(pid: number): boolean {
  return fileOf(pid, 'cmdline') !== '';
}

/** How many bytes a process has written to files and pipes; undefined once it has ended. */
export function bytesWritten(pid: number): number | undefined {
  const [, bytes] = /^wchar: (\d+)$/m.exec(fileOf(pid, 'io')) ?? [];
  return bytes === undefined ? undefined : Number(bytes);
}

function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}
