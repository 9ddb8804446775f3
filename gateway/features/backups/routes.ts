import { ApiError } from '../../error.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import type { AccountQuery } from '../../identity/accounts.ts';
import type { Config } from '../config.ts';
import type { RequireScope } from '../context.ts';
import type { Destination } from './destination.ts';
import { listBackups } from './inventory.ts';
import { backupJob } from './job.ts';
import { isOfBackup } from './names.ts';

export type BackupRoutesOptions = {
  config: Config;
  ask: AccountQuery;
  /** Undefined where none is configured. */
  destination: Destination | undefined;
};

/** Backups, for admins: the inventory, and the download of one. They are made and restored elsewhere. */
export function backupRoutes(requireScope: RequireScope, { config, ask, destination }: BackupRoutesOptions): Route[] {
  return [
    { method: 'GET', path: '/admin/backups', handle: list },
    { method: 'GET', path: '/admin/backups/download', handle: download },
  ];

  async function list(call: Call): Promise<Reply> {
    const { uid } = await requireScope(call, 'backups:read');
    return privateReply({
      backups: destination === undefined ? [] : await listBackups(destination).catch(unavailable),
      destinationKind: destination?.kind ?? 'local',
      configured: destination !== undefined,
      schedule: await schedule(uid),
    });
  }

  /** The inventory needs no database: without one it says so. */
  async function schedule(uid: string): Promise<object | null> {
    const job = backupJob(config);
    if (job === undefined) return null;
    try {
      const [row] = await ask(uid, sql => sql<{ schedule: object }[]>`
        select service_private.backup_schedule(${JSON.stringify(job)}::text::jsonb) as schedule`);
      return row?.schedule ?? null;
    } catch {
      const { id: jobId, name, schedule, enabled } = job;
      return { jobId, name, schedule, enabled, historyError: 'The database that keeps the runs did not answer.' };
    }
  }

  async function download(call: Call): Promise<Reply> {
    await requireScope(call, 'backups:read');
    const key = new URLSearchParams(call.query).get('key') ?? '';
    if (destination === undefined) throw new ApiError(400, 'BAD_REQUEST', 'No destination of backups is configured.');
    if (key === '') throw new ApiError(400, 'BAD_REQUEST', '"key" must be that of a backup.');
    const opened = isOfBackup(key) ? await destination.open(key).catch(unavailable) : undefined;
    if (opened === undefined) throw new ApiError(404, 'NOT_FOUND', 'There is no backup of this key.');
    return answer(call, key, opened);
  }

  async function answer({ method }: Call, key: string, { size, read, close }: Found): Promise<Reply> {
    const name = key.slice(key.lastIndexOf('/') + 1).replace(/[^\w.%-]/g, '_');
    const reply: Reply = {
      type: 'application/octet-stream', isFile: true,
      headers: { 'Cache-Control': 'no-store', 'Content-Disposition': `attachment; filename="${name}"` },
    };
    if (method === 'HEAD') {
      close();
      return { ...reply, body: { length: size } };
    }
    const source = await read();
    if (source instanceof Uint8Array) return { ...reply, body: source };
    return { ...reply, body: { length: size, source, ...(source.recycle && { recycle: source.recycle }) } };
  }
}

type Found = NonNullable<Awaited<ReturnType<Destination['open']>>>;

function unavailable(cause: unknown): never {
  throw new ApiError(503, 'SERVICE_UNAVAILABLE', 'The destination of the backups cannot be read.', undefined, { cause });
}
