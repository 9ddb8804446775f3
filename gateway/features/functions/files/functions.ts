import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { Call, Reply } from '../../../http/route.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Context } from '../../context.ts';
import { settings } from '../../settings.ts';
import { openAnswers } from './answers.ts';
import type { SentCaller, SentLine } from './call.ts';
import { discover, projectFolder, selected, type ProjectFile, type Refused } from './discover.ts';
import { withoutSecrets } from './environment.ts';
import { forwarded } from './headers.ts';
import { openPool, replacePools, RETIRING, type Pool } from './pool.ts';
import { watchFolder } from './watch-folder.ts';

export type Functions = {
  /** Those that are served. */
  names: () => string[];
  /** Files that are not, and why. */
  refused: () => Refused[];
  /** Whether there is a file of that name, served or not. */
  has: (name: string) => boolean;
  /** The file of that name, where it is not served. */
  failed: (name: string) => string | undefined;
  /** @returns undefined where the function has no route for the request. */
  answer: (call: Call, caller: Caller, name: string) => Promise<Reply | undefined>;
  close: (deadline: number) => Promise<void>;
};

/** Most workers of a process, unless there are fewer cores. */
const MOST_WORKERS = 4;

/** Serves the function files of the project; without one it starts no process. @throws BootError for an unknown name in …_ONLY. */
export async function openFunctions(context: Context): Promise<Functions> {
  const { config, permissions, isFirst, log } = context;
  const { functionsDir, functionsOnly, functionsExclude, functionsTimeout, functionsMemory: memory } = config;
  const folder = projectFolder(functionsDir, 'functions', config);
  const answers = openAnswers(context);
  const callers = new WeakMap<Caller, SentCaller>();
  let found = selected(discover(folder, 'functions'), functionsOnly, functionsExclude, settings.functionsOnly.name);
  /** By name. Several at once only where files were saved since the start. */
  const pools = new Map<string, Pool>();
  let newest: Pool | undefined;
  let isOpen = false;
  await reload();
  const watching = config.nodeEnv === 'development' ? watchFolder(folder, change, log) : undefined;

  return { names, refused, has: name => pools.has(name), failed, answer, close };

  function names(): string[] {
    return [...pools].flatMap(([name, pool]) => pool.refused.has(name) ? [] : [name]).sort();
  }

  function failed(name: string): string | undefined {
    if (pools.get(name)?.refused.has(name) !== true) return undefined;
    return found.files.flatMap(file => file.name === name ? [basename(file.path)] : [])[0];
  }

  function refused(): Refused[] {
    const failed = found.files.flatMap(({ name, path }) => {
      const reason = newest?.refused.get(name);
      return reason === undefined ? [] : [{ file: basename(path), reason }];
    });
    return [...found.refused, ...failed];
  }

  async function answer(call: Call, caller: Caller, name: string): Promise<Reply | undefined> {
    const path = /^\/functions\/[^/]*(.*)$/s.exec(call.path)?.[1] ?? '';
    const worker = await pools.get(name)?.worker(name);
    if (worker === undefined || call.gone) return undefined;
    const { reply, giveUp } = worker.call({
      function: name, method: call.method, url: urlOf(call, path), headers: forwarded(call.allHeaders(), call.requestId),
      requestId: call.requestId, caller: sentCaller(caller),
    }, call.body, { caller, ip: caller.kind === 'anonymous' ? call.ip : '' });
    call.watch(giveUp);
    return reply;
  }

  function sentCaller(caller: Caller): SentCaller {
    const known = callers.get(caller);
    if (known !== undefined) return known;
    const claims = JSON.parse(caller.claims[3]) as Record<string, unknown>;
    for (const name of ['sub', 'roles', 'is_anonymous']) Reflect.deleteProperty(claims, name);
    const { kind, uid, roles, isGuest, session } = caller;
    const isAdmin = kind !== 'key' && roles.includes('admin');
    const sent = { kind, uid, roles, claims, scopes: permissions.held(caller), isGuest, isAdmin, aal: session?.aal };
    callers.set(caller, sent);
    return sent;
  }

  /** Starts workers with the files as they are now. A function that cannot be loaded any more goes on as it was. */
  async function reload(): Promise<void> {
    const pool = found.files.length === 0 ? undefined : startPool(found.files);
    await pool?.ready;
    const isChanged = isOpen;
    const left = replacePools(pools, found.files.map(({ name }) => name), pool);
    newest = pool;
    isOpen = true;
    for (const old of left) void old.retire(RETIRING);
    tell(isChanged);
  }

  function startPool(files: readonly ProjectFile[]): Pool {
    return openPool({
      files, size: sizeOf(config), memory, timeout: functionsTimeout, log,
      env: withoutSecrets(process.env, config.settingsFile), answer: answers.answer, of: 'functions', fieldsOf,
    });
  }

  function tell(isChanged: boolean): void {
    if (!isFirst) return;
    for (const { file, reason } of refused()) {
      const isKept = found.files.some(({ name, path }) => basename(path) === file && names().includes(name));
      log.warn(`${basename(folder)}/${file} is not served${isKept ? ' as it is now' : ''}: ${reason}.`);
    }
    if (isChanged || config.production) log.info({ functions: names() }, 'Functions are served.');
  }

  async function change(): Promise<void> {
    const now = discover(folder, 'functions');
    const only = functionsOnly?.filter(name => now.files.some(file => file.name === name));
    found = selected(now, only, functionsExclude, settings.functionsOnly.name);
    await reload();
  }

  async function close(deadline: number): Promise<void> {
    await watching?.close();
    await Promise.all([...new Set(pools.values())].map(pool => pool.retire(deadline)));
    await answers.close();
  }
}

/** Each process of a start that serves has workers of its own. */
function sizeOf({ workers, nodeEnv }: Context['config']): number {
  const cores = Math.min(MOST_WORKERS, availableParallelism());
  const processes = workers === 'auto' ? cores : workers;
  return nodeEnv === 'development' ? 1 : Math.max(1, Math.floor(cores / processes));
}

function fieldsOf({ function: name, requestId }: SentLine): object {
  return { ...(name !== undefined && { function: name }), ...(requestId !== undefined && { requestId }) };
}

function urlOf(call: Call, path: string): string {
  const host = call.header('host');
  const query = call.query === '' ? '' : `?${call.query}`;
  return `http://${/^[\w.:[\]-]+$/.test(host) ? host : 'localhost'}${path || '/'}${query}`;
}
