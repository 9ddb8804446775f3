import type { Logger } from 'pino';
import { withDeadline } from '../../database/with-deadline.ts';
import { RETRY_AFTER } from '../../http/envelope.ts';
import type { Reply, Route } from '../../http/route.ts';
import { joined } from '../../process/joined.ts';
import type { Config } from '../config.ts';

const source = '(default)';
const replica = '(replica)';
const headers = { 'Cache-Control': 'no-store' };
const notReady = { ...headers, ...RETRY_AFTER };
/** Below the five seconds that the image's health check waits. */
const PATIENCE = 4_000;

export type HealthOptions = {
  config: Pick<Config, 'production' | 'livenessPath'>;
  /** Rejects when the database cannot serve. */
  probe: () => Promise<void>;
  /** How the tables of accounts differ from those that are needed, where there are accounts. */
  accountFaults?: () => Promise<readonly string[]>;
  /** Milliseconds that it may take: a database that hangs is no better than one that is gone. */
  patience?: number;
  /** Why reads do not go to the replica, when there is one that they should go to. */
  replicaTrouble?: () => string | undefined;
  isDraining: () => boolean;
  log: Logger;
};

class AccountSchemaError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The tables of accounts are not those of this version: ${faults.join('; ')}.`);
    this.faults = faults;
  }
}

/** Liveness, which touches nothing, and readiness. Neither speaks the error envelope: probes read the status. */
export function healthRoutes(options: HealthOptions): Route[] {
  const { config, probe, accountFaults, patience = PATIENCE, replicaTrouble, isDraining, log } = options;
  const probeOnce = joined(() => withDeadline(probeAll(), patience)); // every client may ask
  let logged: string | undefined;
  const live = (): Reply => ({ headers, body: '{"status":"ok"}' });

  async function ready(): Promise<Reply> {
    const startedAt = performance.now();
    const problem = isDraining() ? new Error('The service is shutting down.') : await problemOf(probeOnce);
    const latencyMs = Math.round(performance.now() - startedAt);
    logChange(problem);
    if (problem === undefined) return { headers, body: JSON.stringify({ status: 'ok', latencyMs, ...withoutReplica() }) };
    return { status: 503, headers: notReady, body: JSON.stringify({ status: 'degraded', latencyMs, ...shown(problem) }) };
  }

  async function probeAll(): Promise<void> {
    await probe();
    const faults = await accountFaults?.() ?? [];
    if (faults.length > 0) throw new AccountSchemaError(faults);
  }

  /** Probes come every few seconds, so the log names a reason once. */
  function logChange(problem: Error | undefined): void {
    const reason = problem && innermost(problem).message;
    if (reason === logged) return;
    logged = reason;
    if (problem === undefined) log.info('ready again');
    else log.warn({ err: problem }, 'not ready');
  }

  /** Everything is served without the replica, so its absence does not make the service unready. */
  function withoutReplica(): object {
    const trouble = replicaTrouble?.();
    if (trouble === undefined) return {};
    return { status: 'degraded', dataSources: [{ key: replica, ...(!config.production && { error: withoutCredentials(trouble) }) }] };
  }

  /** Outside production the reason is shown; in production only what fails. */
  function shown(problem: Error): object {
    const error = withoutCredentials(innermost(problem).message);
    if (config.production) return { dataSources: [{ key: source }] };
    const details = problem instanceof AccountSchemaError ? { authSchema: problem.faults } : { error };
    return { details, dataSources: [{ key: source, error }] };
  }

  return [
    { method: 'GET', path: config.livenessPath, root: true, handle: live },
    { method: 'GET', path: '/health', root: true, handle: ready },
    { method: 'GET', path: '/health', handle: ready },
  ];
}

async function problemOf(probe: () => Promise<void>): Promise<Error | undefined> {
  try {
    await probe();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function innermost(error: Error): Error {
  return error.cause instanceof Error ? innermost(error.cause) : error;
}

function withoutCredentials(text: string): string {
  return text.replace(/(\w+:\/\/)\S*@/g, '$1***@');
}
