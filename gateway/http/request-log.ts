import type { Logger } from 'pino';
import { ApiError } from '../error.ts';
import type { Exchange } from './exchange.ts';
import { traceparentOf } from './traceparent.ts';

/** One line for each answer: failures of the server stand out, the rest is for debugging. A 501 is no failure: it is said on purpose. */
export function logAnswer(log: Logger, exchange: Exchange, status: number): void {
  if (status >= 500 && status !== 501) {
    log[status === 500 ? 'error' : 'warn']({ ...line(exchange), status, ...reason(exchange.failure) }, 'request failed');
  } else if (log.isLevelEnabled('debug')) {
    const noted = exchange.failure === undefined ? undefined : exchange.noted;
    log.debug({ ...line(exchange), status, ...reason(exchange.failure), ...noted }, 'request');
  }
}

/** A failure that cuts off an answer is a failure of the server. */
export function logAbandoned(log: Logger, exchange: Exchange): void {
  if (exchange.failure !== undefined) return log.error({ ...line(exchange), err: exchange.failure }, 'the answer broke off');
  if (log.isLevelEnabled('debug')) log.debug(line(exchange), 'the client left before the answer');
}

/** Without the query, which may hold secrets. */
function line(exchange: Exchange) {
  const { requestId, method, url, startedAt } = exchange;
  const traceparent = traceparentOf(exchange);
  return {
    requestId, method, path: url, durationMs: Math.round(performance.now() - startedAt), ...(traceparent !== undefined && { traceparent }),
  };
}

/** An ApiError without a cause was raised on purpose: its stack would tell nothing. */
function reason(failure: unknown): { code?: string; err?: unknown } {
  return failure instanceof ApiError ? { code: failure.code, err: failure.cause } : { err: failure };
}
