/** Figures of processes from the kernel. Linux only: elsewhere there is no /proc, and the figures are left out. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const hasProc = existsSync('/proc/self/stat');

/** A clock tick of /proc in microseconds: 100 a second on every Linux that Node runs on. */
const TICK = 10_000;

/** CPU time of a process and all below it in microseconds, those that have ended included. NaN without /proc. */
export function cpuTime(pid: number): number {
  if (!hasProc) return NaN;
  // The time of one that ends meanwhile passes to its parent, and would be missed or counted twice.
  for (let before = family(pid); ;) {
    const time = before.reduce((sum, member) => sum + ticks(member), 0) * TICK;
    const after = family(pid);
    if (after.join() === before.join()) return time;
    before = after;
  }
}

/** Resident memory of a process and all below it in MiB. Not for PostgreSQL, whose processes share most of theirs. */
export function memory(pid: number): number {
  return held(pid, /^VmRSS:\s+(\d+)/m);
}

/** Resident memory of a process and all below it in MiB, what they share once. */
export function sharedMemory(pid: number): number {
  return held(pid, /^Pss:\s+(\d+)/m, 'smaps_rollup');
}

/** The private memory of a process and its descendants, in MiB. */
export function ownMemory(pid: number): number {
  return held(pid, /^RssAnon:\s+(\d+)/m);
}

function held(pid: number, kilobytes: RegExp, file = 'status'): number {
  if (!hasProc) return NaN;
  return family(pid).reduce((sum, member) => sum + Number(kilobytes.exec(read(member, file))?.[1] ?? 0), 0) / 1024;
}

function family(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(fields(Number(name))[1]));
  }
  const members = [pid];
  for (const member of members) members.push(...[...parents].filter(([, parent]) => parent === member).map(([child]) => child));
  return members;
}

/** For the process itself, and for its children that have ended and been waited for. */
function ticks(pid: number): number {
  return fields(pid).slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
}

/** The fields after the name of the program, which may contain anything: state, parent, … */
function fields(pid: number): string[] {
  const stat = read(pid, 'stat');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Empty when the process has just ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
