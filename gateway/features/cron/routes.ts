import { ApiError } from '../../error.ts';
import { wholeNumber } from '../../grammar/read/paging.ts';
import { splitQuery } from '../../grammar/query.ts';
import { deprecated } from '../../http/deprecated.ts';
import { privateText } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import type { AccountQuery } from '../../identity/accounts.ts';
import type { RequireScope } from '../context.ts';
import type { Definition } from '../cron-job.ts';
import type { Defined, Triggered } from './topics.ts';

export type CronRoutesOptions = {
  ask: AccountQuery;
  /** The jobs of this start. */
  defined: () => Defined;
  trigger: (id: string) => Promise<Triggered>;
};

const LOGS = { usual: 50, most: 1_000 };

/** Scheduled jobs, for admins. The earlier paths, without `/admin`, answer as well, and say that they will go. */
export function cronRoutes(requireScope: RequireScope, { ask, defined, trigger }: CronRoutesOptions): Route[] {
  const writer = (call: Call) => requireScope(call, 'cron:write');
  return [...routesBelow('/admin/cron'), ...routesBelow('/cron').map(deprecated)];

  function routesBelow(base: string): Route[] {
    return [
      { method: 'GET', path: base, handle: list },
      { method: 'GET', path: `${base}/:id`, handle: show },
      { method: 'PUT', path: `${base}/:id`, admit: writer, handle: change },
      { method: 'GET', path: `${base}/:id/logs`, handle: logs },
      { method: 'POST', path: `${base}/:id/trigger`, handle: run },
    ];
  }

  async function list(call: Call): Promise<Reply> {
    const { uid } = await requireScope(call, 'cron:read');
    const { jobs, rejected, skipped } = defined();
    const more = { ...(skipped > 0 && { skipped }), ...(rejected.length > 0 && { rejected }) };
    const others = Object.entries(more).map(([key, value]) => `,"${key}":${JSON.stringify(value)}`).join('');
    return privateText(`{"jobs":${await records(uid, jobs)}${others}}`);
  }

  async function show(call: Call): Promise<Reply> {
    const { uid } = await requireScope(call, 'cron:read');
    return privateText(`{"job":${await record(uid, jobOf(call))}}`);
  }

  async function logs(call: Call): Promise<Reply> {
    const { uid } = await requireScope(call, 'cron:read');
    const { id } = jobOf(call);
    const most = limitOf(call.query);
    const [row] = await ask(uid, sql => sql<{ logs: string }[]>`select service_private.list_cron_logs(${id}, ${most})::text as logs`);
    return privateText(`{"logs":${row?.logs ?? '[]'}}`);
  }

  /** Whatever it fails with, the state was not saved. */
  async function change(call: Call): Promise<Reply> {
    const { uid } = await writer(call);
    const job = jobOf(call);
    const enabled = enabledOf(call.json());
    const [row] = await ask(uid, sql => sql<{ saved: boolean }[]>`select service.cron_enable(${job.id}, ${enabled}, ${uid}) as saved`)
      .catch((error: unknown) => { throw unavailable('The state of the job could not be saved.', error); });
    if (row?.saved !== true) throw unavailable('The job is not defined in the database yet.');
    return privateText(`{"job":${await record(uid, job)}}`);
  }

  /** The run ends by itself, whether or not the client still waits for it. */
  async function run(call: Call): Promise<Reply> {
    await writer(call);
    const { id } = jobOf(call);
    const done = await trigger(id);
    if ('log' in done) return privateText(`{"log":${done.log},"job":${done.job}}`);
    if ('executing' in done) {
      const details = { log: JSON.parse(done.executing) as object };
      throw new ApiError(409, 'CRON_JOB_ALREADY_EXECUTING', 'A run of this job is under way.', details);
    }
    throw done.refused === 'unknown' ? unknown() : unavailable('The job could not be run, or its run could not be written down.');
  }

  function jobOf({ params }: Call): Definition {
    const job = defined().jobs.find(({ id }) => id === params['id']);
    if (job === undefined) throw unknown();
    return job;
  }

  async function records(uid: string, of: readonly Definition[]): Promise<string> {
    const [row] = await ask(uid, sql => sql<{ records: string }[]>`
      select service_private.cron_job_records(${JSON.stringify(of)}::text::jsonb)::text as records`);
    return row?.records ?? '[]';
  }

  /** The only element of a list. */
  async function record(uid: string, job: Definition): Promise<string> {
    return (await records(uid, [job])).slice(1, -1);
  }
}

/** @throws ApiError 400 BAD_REQUEST. */
function enabledOf({ enabled }: Record<string, unknown>): boolean | null {
  if (enabled === true || enabled === false || enabled === null) return enabled;
  throw new ApiError(400, 'BAD_REQUEST', '"enabled" must be true, false, or null, which lets the definition decide.');
}

/** @throws ApiError 400 INVALID_PARAM. */
function limitOf(query: string): number {
  const { reserved: { limit, ...others }, filters } = splitQuery(query);
  const unknown = [...Object.keys(others), ...filters.keys()][0];
  if (unknown !== undefined) throw new ApiError(400, 'INVALID_PARAM', `Logs take no parameter ${unknown}.`, { parameter: unknown });
  const most = limit === undefined ? LOGS.usual : wholeNumber(limit, 1, LOGS.most);
  if (most !== undefined) return most;
  throw new ApiError(400, 'INVALID_PARAM', `"limit" must be a whole number from 1 to ${LOGS.most}.`, { parameter: 'limit' });
}

function unknown(): ApiError {
  return new ApiError(404, 'NOT_FOUND', 'There is no scheduled job of this id.');
}

function unavailable(message: string, cause?: unknown): ApiError {
  return new ApiError(503, 'SERVICE_UNAVAILABLE', message, undefined, { cause });
}
