import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isRunning } from './is-running.ts';

const HOST = hash('sha256', hostname()).slice(0, 12);
/** Differs between restarts: the first process of a container has the same process id each time. */
const LIFE = randomUUID().slice(0, 8);

/** The name of this process, also for other machines that share the disk. */
export const PROCESS = `${HOST}-${process.pid}-${LIFE}`;

/** Returns a unique name that begins with the name of this process. */
export function ownName(): string {
  return `${PROCESS}-${randomUUID()}`;
}

/** Whether the process that made a name has ended; undefined for a process of another machine, which cannot be checked from here. */
export function isGone(name: string): boolean | undefined {
  const [host, pid, life] = name.split('-');
  if (host !== HOST) return undefined;
  return Number(pid) === process.pid ? life !== LIFE : !isRunning(Number(pid));
}
