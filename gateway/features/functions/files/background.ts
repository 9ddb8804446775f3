import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { ApiError } from '../../../error.ts';
import { serviceCaller } from '../../../identity/caller.ts';
import type { Config } from '../../config.ts';
import { LastAttempt, NotBegun } from '../../job.ts';
import type { FileCall, ProjectFiles } from '../../project-files.ts';
import type { SentCaller, SentLine } from './call.ts';
import type { Discovered, ProjectFile } from './discover.ts';
import { withoutSecrets } from './environment.ts';
import { openPool, replacePools, RETIRING, type Pool } from './pool.ts';
import { watchFolder } from './watch-folder.ts';
import type { WorkerOptions } from './worker.ts';

export type BackgroundOptions = {
  config: Config;
  /** The folders, and the files of each. */
  folders: readonly string[];
  find: () => Found;
  answer: WorkerOptions['answer'];
  log: Logger;
};
type Found = Readonly<Record<'jobs' | 'crons', Discovered>>;
export type Background = {
  files: Record<'jobs' | 'crons', ProjectFiles>;
  close: () => Promise<void>;
};

/** Most workers: one that stands still leaves the other. */
const MOST_WORKERS = 2;
/** Milliseconds that a handler has to end once its signal was aborted. */
const PATIENCE = 5_000;
/** Milliseconds until a job is tried again whose file no worker can load any more. */
const NOT_LOADED = 5_000;
/** Milliseconds for the workers to end by themselves. */
const CLOSING = 1_000;

const SERVICE: SentCaller = {
  kind: 'service', uid: serviceCaller.uid, roles: serviceCaller.roles, claims: {}, scopes: [],
  isGuest: false, isAdmin: true, aal: undefined,
};
const OF = 'jobs and schedules';

/** Runs files of jobs/ and crons/ in processes of their own, apart from those of functions. In development a saved file runs as saved. */
export async function openBackground({ config, folders, find, answer, log }: BackgroundOptions): Promise<Background> {
  const found = find();
  const pool = start(filesOf(found));
  await pool.ready;
  const known = new Set(filesOf(found).map(labelOf));
  /** By label. Several at once only where files were saved since the start. */
  const pools = new Map([...known].map(label => [label, pool]));
  const watching = config.nodeEnv === 'development' ? folders.map(folder => watchFolder(folder, reload, log)) : [];
  return {
    files: { jobs: loadedOf(found.jobs), crons: loadedOf(found.crons) },
    async close() {
      await Promise.all(watching.map(({ close }) => close()));
      await Promise.all([...new Set(pools.values())].map(pool => pool.retire(CLOSING)));
    },
  };

  function start(files: readonly ProjectFile[]): Pool {
    return openPool({
      files: files.map(file => ({ ...file, name: labelOf(file) })), answer, log, fieldsOf,
      of: OF, timeout: 0, memory: config.functionsMemory,
      size: config.nodeEnv === 'development' ? 1 : Math.min(MOST_WORKERS, availableParallelism()),
      env: withoutSecrets(process.env, config.settingsFile),
    });
  }

  /** New files, and schedules, attempts and times that files name, count from the next start, which makes tasks and schedules of them. */
  async function reload(): Promise<void> {
    const files = filesOf(find()).filter(file => known.has(labelOf(file)));
    const next = start(files);
    await next.ready;
    for (const file of files) {
      const reason = next.refused.get(labelOf(file));
      if (reason !== undefined) log.warn(`${fileOf(file)} is not loaded as it is now: ${reason}.`);
    }
    const labels = files.map(labelOf);
    const left = replacePools(pools, labels, next);
    for (const old of [...left, ...[...pools.values()].includes(next) ? [] : [next]]) void old.retire(RETIRING);
    log.info({ files: labels }, 'Files of jobs and schedules are loaded again.');
  }

  function loadedOf({ files, refused }: Discovered): ProjectFiles {
    const result: ProjectFiles = { loaded: [], refused: [], skipped: refused.length };
    for (const each of files) {
      const { name } = each;
      const [label, file] = [labelOf(each), fileOf(each)];
      const reason = pool.refused.get(label);
      if (reason === undefined) {
        result.loaded.push({ name, file, says: pool.loaded.get(label) ?? {}, run: (...given) => run(pools.get(label), label, ...given) });
      } else {
        log.warn(`${file} is not loaded: ${reason}.`);
        result.refused.push({ name, file, reason });
      }
    }
    return result;
  }
}

async function run(pool: Pool | undefined, label: string, argument: string, { id, signal, log }: FileCall): Promise<string | null> {
  const { promise: told, reject } = Promise.withResolvers<never>();
  told.catch(() => undefined);
  let abort: () => void = () => undefined;
  let late: NodeJS.Timeout | undefined;
  const onAbort = () => {
    reject(signal.reason as Error);
    abort();
  };
  signal.addEventListener('abort', onAbort);
  try {
    signal.throwIfAborted();
    const worker = await Promise.race([pool?.worker(label), told]);
    signal.throwIfAborted();
    if (worker === undefined) {
      const reason = pool === undefined ? 'it is gone' : pool.refused.get(label) ?? 'the service ends';
      throw new NotBegun(`${label} cannot be loaded: ${reason}.`, NOT_LOADED);
    }
    const request = { function: label, method: 'POST', url: 'http://localhost/', headers: [], requestId: id, caller: SERVICE };
    const called = worker.call(request, Buffer.from(argument), { caller: serviceCaller, ip: '', ...(log && { log }) });
    abort = () => {
      called.abort();
      late = setTimeout(() => { worker.kill(`had to end: ${label} went on after its signal was aborted`); }, PATIENCE).unref();
    };
    const result = await textOf((await called.reply)?.body);
    signal.throwIfAborted(); // a handler that returns because it was told to has not done its work
    return result;
  } catch (error) {
    signal.throwIfAborted();
    throw understood(error);
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(late);
  }
}

/** The result, which is null for none. */
async function textOf(body: unknown): Promise<string | null> {
  const { source } = body as { source?: Readable };
  const text = source === undefined ? String(body) : Buffer.concat(await source.toArray() as Buffer[]).toString();
  return text === 'null' ? null : text;
}

/** A worker that ended says why: those who read it are the project's own. */
function understood(error: unknown): unknown {
  if (error instanceof Error && error.name === 'LastAttempt') return new LastAttempt(error.message, { cause: error });
  return error instanceof ApiError && error.cause instanceof Error ? error.cause : error;
}

function filesOf(found: Found): ProjectFile[] {
  return Object.values(found).flatMap(({ files }) => files);
}

function labelOf({ folder, name }: ProjectFile): string {
  return `${folder}/${name}`;
}

function fileOf({ folder, path }: ProjectFile): string {
  return `${folder}/${basename(path)}`;
}

function fieldsOf({ function: label, requestId }: SentLine): object {
  const [folder, name] = label?.split('/') ?? [];
  return folder === undefined ? { worker: OF } : folder === 'jobs' ? { task: name, job: requestId } : { cron: name };
}
