import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AuditState } from './audit-state.ts';

export type AuditOptions = {
  /** Returns the result of service.audit(). */
  scan: () => Promise<object>;
  publish: (state: AuditState) => void;
  log: Logger;
  /** Milliseconds from the end of one to the next. */
  pause?: number;
};

const AN_HOUR = 3_600_000;

/** Audits row security at the start and then hourly, beside other work. Returns a function that stops it. */
export function scheduleAudit({ scan, publish, log, pause = AN_HOUR }: AuditOptions): () => void {
  const closing = new AbortController();
  const isClosing = () => closing.signal.aborted;
  let result: object | null = null;
  void keep();
  return () => { closing.abort(); };

  async function keep(): Promise<void> {
    while (!isClosing()) {
      const state = await scan().then(succeeded, failed);
      if (isClosing()) return;
      publish(state);
      await setTimeout(pause, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  function succeeded(found: object): AuditState {
    result = found;
    return { status: 'ok', result };
  }

  function failed(error: unknown): AuditState {
    if (!isClosing()) log.warn({ err: error }, 'The audit of row security failed.');
    return { status: 'failed', error: (error as Error).message, result };
  }
}
