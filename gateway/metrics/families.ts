/** A name in /metrics, with all that is measured under it. */
export type Family = { type: 'counter' | 'gauge' | 'histogram'; help: string };

/** Families with one number for each set of labels: the last value of a gauge, or the sum of a counter. Those of requests are apart. */
export const FIGURES = {
  service_uptime_seconds: { type: 'gauge', help: 'Seconds since the start.' },
  service_process_heap_bytes: { type: 'gauge', help: 'JavaScript heap in use, of all processes of the start together.' },
  service_process_rss_bytes: { type: 'gauge', help: 'Resident memory, of all processes of the start together.' },
  service_process_cpu_seconds_total: { type: 'counter', help: 'CPU time, of all processes of the start together.' },
  service_event_loop_delay_seconds_total: { type: 'counter', help: 'How late the timers were by which event loops are measured.' },
  service_event_loop_measurements_total: { type: 'counter', help: 'Measurements of event loops.' },
  service_statements_total: { type: 'counter', help: 'Statements that a lane has run.' },
  service_statement_wait_seconds_total: { type: 'counter', help: 'Time that statements have waited for a connection of their lane.' },
  service_statements_waiting: { type: 'gauge', help: 'Statements that wait for a connection of their lane.' },
  service_lane_connections: { type: 'gauge', help: 'Connections of a lane that are in use or idle.' },
  service_lane_connections_limit: { type: 'gauge', help: 'Connections that a lane may have.' },
  service_statement_cache_hits_total: { type: 'counter', help: 'Requests whose statement was kept from an earlier one.' },
  service_statement_cache_misses_total: { type: 'counter', help: 'Requests whose statement had to be compiled.' },
  service_statement_cache_entries: { type: 'gauge', help: 'Statements that are kept, of all processes of the start together.' },
  service_reads_total: { type: 'counter', help: 'Reads that may be coalesced: sent alone, or with others in one statement.' },
  service_coalesced_statements_total: { type: 'counter', help: 'Statements that several reads were sent in.' },
  service_sockets: { type: 'gauge', help: 'WebSockets that are open.' },
  service_subscriptions: { type: 'gauge', help: 'Subscriptions of open WebSockets.' },
  service_jobs_due: { type: 'gauge', help: 'Jobs of the database that are due and not begun.' },
  service_jobs_failed: { type: 'gauge', help: 'Jobs of the database that have failed for good and are kept.' },
  service_jobs_oldest_due_seconds: { type: 'gauge', help: 'How long the job has been due that waits longest; 0 without one.' },
  service_backup_age_seconds: { type: 'gauge', help: 'Seconds since the newest backup of the database was begun; +Inf without one.' },
} as const satisfies Record<string, Family>;

export const REQUESTS = {
  service_requests_total: { type: 'counter', help: 'Requests that ended, by the status of their answer; 499: the client left before it.' },
  service_request_duration_ms: { type: 'histogram', help: 'Milliseconds from the head of a request to the end of its answer.' },
} as const satisfies Record<string, Family>;

export type FigureName = keyof typeof FIGURES;
export type Labels = Readonly<Record<string, string>>;
/** One number of one process. */
export type Figure = { name: FigureName; labels?: Labels; value: number };

export function isCounter(name: FigureName): boolean {
  return FIGURES[name].type === 'counter';
}
