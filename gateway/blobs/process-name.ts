import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isRunning } from '../process/is-running.ts';

const HOST = hash('sha256', hostname()).slice(0, 12);
/** Of this life of the process: a container's first process has the same number in each. */
const LIFE = randomUUID().slice(0, 8);

/** Names this process, also to others that share the disk. */
export const PROCESS = `${HOST}-${process.pid}-${LIFE}`;

/** A name that nobody else takes, which tells who took it. */
export function ownName(): string {
  return `${PROCESS}-${randomUUID()}`;
}

/** Whether who took this name can be gone; undefined where nobody here can know: another machine. */
export function isGone(name: string): boolean | undefined {
  const [host, pid, life] = name.split('-');
  if (host !== HOST) return undefined;
  return Number(pid) === process.pid ? life !== LIFE : !isRunning(Number(pid));
}
