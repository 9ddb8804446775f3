import type { Logger } from 'pino';
import { withDeadline } from '../../database/with-deadline.ts';
import { RETRY_AFTER } from '../../http/envelope.ts';
import type { Reply, Route } from '../../http/route.ts';
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
  /** Milliseconds that it may take: a database that hangs is no better than one that is gone. */
  patience?: number;
  /** Why reads do not go to the replica, when there is one that they should go to. */
  replicaTrouble?: () => string | undefined;
  isDraining: () => boolean;
  log: Logger;
};

/** Liveness, which touches nothing, and readiness. Neither speaks the error envelope: probes read the status. */
export function healthRoutes({ config, probe, patience = PATIENCE, replicaTrouble, isDraining, log }: HealthOptions): Route[] {
  const probeOnce = shared(() => withDeadline(probe(), patience));
  const live = (): Reply => ({ headers, body: '{"status":"ok"}' });

  async function ready(): Promise<Reply> {
    const startedAt = performance.now();
    const problem = isDraining() ? new Error('The service is shutting down.') : await problemOf(probeOnce);
    const latencyMs = Math.round(performance.now() - startedAt);
    if (problem === undefined) return { headers, body: JSON.stringify({ status: 'ok', latencyMs, ...withoutReplica() }) };
    log.warn({ err: problem }, 'not ready');
    return { status: 503, headers: notReady, body: JSON.stringify({ status: 'degraded', latencyMs, ...shown(problem) }) };
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
    return config.production ? { dataSources: [{ key: source }] } : { details: { error }, dataSources: [{ key: source, error }] };
  }

  return [
    { method: 'GET', path: config.livenessPath, root: true, handle: live },
    { method: 'GET', path: '/health', root: true, handle: ready },
    { method: 'GET', path: '/health', handle: ready },
  ];
}

/** Every client may ask, so concurrent requests cost the database one query. */
function shared(probe: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => running ??= probe().finally(() => { running = undefined; });
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
