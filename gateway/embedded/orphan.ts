import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { BootError } from '../error.ts';
import { isRunning } from '../process/is-running.ts';
import type { EmbeddedLog } from './server-log.ts';

const STOP_SIGNALS = [
  { signal: 'SIGINT', patience: 15_000 }, // fast: clients are disconnected, a checkpoint is written
  { signal: 'SIGQUIT', patience: 5_000 }, // immediate: recovery at the next start
  { signal: 'SIGKILL', patience: 2_000 },
] as const;

/**
 * A gateway that was killed leaves its server running. The process that holds the claim on the folder stops the server instead of adopting
 * it: only a parent learns at once when its server ends.
 * @throws BootError when it does not stop.
 */
export async function stopOrphan(data: string, log: EmbeddedLog): Promise<void> {
  const pid = recordedPid(data);
  if (pid === undefined || !isRunning(pid)) return; // PostgreSQL itself clears a record of the dead
  if (!isServerOf(pid, data)) return forgetRecord(data);
  log.info(`Stopping the PostgreSQL server (process ${pid}) that an earlier run left behind.`);
  for (const { signal, patience } of STOP_SIGNALS) {
    process.kill(pid, signal);
    if (await hasEnded(pid, data, patience)) return;
  }
  throw new BootError(`The PostgreSQL server that an earlier run left behind (process ${pid}) does not stop.`);
}

function recordedPid(data: string): number | undefined {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/** The process id now belongs to some other program, which PostgreSQL would take for a server and refuse to start. */
function forgetRecord(data: string): void {
  rmSync(join(data, 'postmaster.pid'));
}

/** We start every server as `postgres -D <data>`, and data directories have one path. */
function isServerOf(pid: number, data: string): boolean {
  return commandLine(pid).includes(data);
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return ''; // it has just ended
  }
}

/** Nothing tells when a process that is not a child ends, so this looks every 20 ms. A zombie has no command line. */
async function hasEnded(pid: number, data: string, patience: number): Promise<boolean> {
  for (const deadline = Date.now() + patience; Date.now() < deadline; await setTimeout(20)) {
    if (!isServerOf(pid, data)) return true;
  }
  return false;
}
