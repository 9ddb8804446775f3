import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

/** How a run tells its processes what it measured. */
const VARIABLE = 'ROWGATE_SLOWNESS';

/** Hashes 24 MB: CPU time, and the start of a process. */
const WORK = `const { createHash } = require('node:crypto');
  for (let n = 0; n < 24; n++) createHash('sha512').update(Buffer.alloc(1048576, n)).digest();`;

/** Milliseconds of that work on the machine that limits are written for: two cores of 2.5 GHz that do nothing else. */
const USUAL = 80;

const ROUNDS = 3;

/** How many times longer than on the usual machine things take here, 1 or more. */
export function slowness(): number {
  return Math.max(1, Number(process.env[VARIABLE] ?? 1));
}

/** Measures it, with as many processes as there are cores, for this process and those that it starts. */
export async function measureSlowness(): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    times.push(...await Promise.all(Array.from({ length: availableParallelism() }, work)));
  }
  const median = times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
  process.env[VARIABLE] = Math.max(1, median / USUAL).toFixed(2);
}

async function work(): Promise<number> {
  const began = performance.now();
  await once(spawn(process.execPath, ['-e', WORK], { stdio: 'ignore', env: {} }), 'close');
  return performance.now() - began;
}
