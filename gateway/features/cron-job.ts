/** A scheduled job as its author defines it. It is kept and sent as JSON. */
export type Definition = {
  id: string;
  name: string;
  description?: string;
  /** Five fields, as service.cron_next reads them. */
  schedule: string;
  /** A name of the IANA database. */
  timezone: string;
  /** Unless an admin decides otherwise. */
  enabled: boolean;
  /** Null: it may take as long as it wants. */
  timeoutSeconds: number | null;
  /** How old a missed slot may be that a start makes up for. */
  catchUpWindowSeconds?: number;
};

/** The argument of a job. `scheduledAt`: its slot, or the time of the request by hand. */
export type RunContext = { jobId: string; scheduledAt: string; manual: boolean };

/**
 * A job with its handler, in whatever language that is. It resolves with its result as JSON, null for none. A rejection fails the run.
 * `log`: a line of the run's log, `times`: for how many lines it stands.
 */
export type CronJob = Definition & {
  run: (context: RunContext, signal: AbortSignal, log: (line: string, times?: number) => void) => Promise<string | null>;
};
