import { extname, join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../features/config.ts';
import { claimPort } from '../http/claim-port.ts';
import type { Secrets } from '../identity/secrets.ts';
import { startWorkers, type Workers } from '../process/workers/parent.ts';
import type { ParentBus } from '../process/bus/parent-bus.ts';

/** The task of a worker. */
export type Assignment = {
  number: number;
  config: Config;
  secrets: Secrets;
  url: string;
  port: number;
  /** Connections of this worker. */
  poolMax: number;
  /** Whether the parent hears the database. */
  hears: boolean;
  /** The folder of the embedded server, if there is one: workers that outlive their parent stop it. */
  embedded: string | undefined;
};

/** Compiled or not. */
const WORKER = join(import.meta.dirname, `worker${extname(import.meta.filename)}`);

export type WorkersOptions = {
  count: number;
  assignment: Omit<Assignment, 'number' | 'port'>;
  bus: Pick<ParentBus, 'join'>;
  log: Logger;
};

/** Starts workers side by side on one port. @throws BootError when it is taken, or one cannot start. */
export async function openWorkers({ count, assignment, bus, log }: WorkersOptions): Promise<Workers & { port: number }> {
  const claim = claimPort(assignment.config);
  const taskOf = (number: number): Assignment => ({ ...assignment, number, port: claim.port });
  const workers = await startWorkers({ count, program: WORKER, taskOf, bus, log }).catch((error: unknown) => {
    claim.release();
    throw error;
  });
  return { ...workers, port: claim.port, close: () => workers.close().then(claim.release) };
}
