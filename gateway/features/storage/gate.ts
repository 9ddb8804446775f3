import type { Logger } from 'pino';
import type { StorageSetting } from './settings-file.ts';
import type { Lane, Statement } from '../../database/lane.ts';
import type { Lanes, ReadLanes } from '../../database/lanes.ts';
import { toApiError } from '../../database/refusal.ts';
import { retryOnConflict } from '../../database/retry-on-conflict.ts';
import { ApiError } from '../../error.ts';
import type { Caller } from '../../identity/caller.ts';

/** `size` in bytes, where it is known by then. `collection`, `property`: which storage property a file is for. */
export type FileRequest = {
  operation: 'read' | 'write' | 'delete' | 'list';
  /** In its canonical form; of `list` the prefix. */
  key: string;
  bucket?: string;
  storageId?: string;
  size?: number;
  contentType?: string;
  fileName?: string;
  collection?: string;
  property?: string;
  /** For a file that is still to come: functions need its size and are not asked yet, so the authorization is repeated. */
  early?: true;
};

/** `user`: the acting account, where it is not the caller; null: an anonymous client. */
export type FileEvent = Pick<FileRequest, 'key' | 'bucket' | 'storageId' | 'size' | 'contentType'> & {
  event: 'finalize' | 'delete';
  user?: { uid: string } | null;
};

/** The most bytes that a file may have which is written before its size is known. */
export type Bound = { property: string; maxSize: number };

export type Gate = {
  /** Whether functions decide, which want to know the size of what is written. */
  asksFunctions: boolean;
  /** Whether the settings file has rules. */
  hasRules: boolean;
  /**
   * @throws ApiError 401 UNAUTHORIZED, 403 FORBIDDEN, 413 STORAGE_FILE_TOO_LARGE, 400 STORAGE_FILE_TYPE_REFUSED, and what functions of the
   * project raise.
   */
  allow: (caller: Caller, request: FileRequest) => Promise<Bound | undefined>;
  /** Called before any byte of a file is read. @throws ApiError 401 UNAUTHORIZED where anonymous clients may write nothing anyway. */
  requireWriter: (caller: Caller) => void;
  /** Resolves when the functions of the project have been notified. Their failures are logged, with the request's id where there is one. */
  tell: (caller: Caller, event: FileEvent, requestId?: string) => Promise<void>;
};

/** `verbose`: whether refusals may carry the database's own words. */
export type GateOptions = {
  rules: StorageSetting; authRequired: boolean; lanes: Lanes; reads: ReadLanes; verbose: boolean; log: Logger;
};

const ALLOW: Statement = {
  text: 'select service_private.allow_file(array[$1, $2, $3, $4, $5], $6::text::jsonb)::text', prepare: true, enterFirst: false,
};
const TELL: Statement = {
  text: 'select service_private.notify_of_file(array[$1, $2, $3, $4, $5], $6::text::jsonb)::text', prepare: true, enterFirst: false,
};

/** Asks PostgreSQL who may use files, and notifies functions of events. */
export function createGate({ rules, authRequired, lanes, reads, verbose, log }: GateOptions): Gate {
  // Functions of the project have unbounded cost; everything else is as quick as a row by its id.
  const asksFunctions = callsFunctions(rules);
  const reading = asksFunctions ? reads.scan : reads.point;

  const strangersMayWrite = !authRequired || letStrangersWrite(rules);

  const hasRules = rules.authorize !== undefined || (rules.policies ?? []).length > 0;

  return { asksFunctions, hasRules, allow, requireWriter, tell };

  function requireWriter({ kind }: Caller): void {
    if (kind === 'anonymous' && !strangersMayWrite) throw new ApiError(401, 'UNAUTHORIZED', 'Sign in to use this file.');
  }

  async function allow(caller: Caller, request: FileRequest): Promise<Bound | undefined> {
    const changes = request.operation === 'write' || request.operation === 'delete';
    try {
      return await run(changes ? lanes.write : reading, ALLOW, caller, request) as Bound | undefined;
    } catch (error) {
      throw toApiError(error, verbose);
    }
  }

  async function tell(caller: Caller, event: FileEvent, requestId?: string): Promise<void> {
    const about = { ...(requestId !== undefined && { requestId }), event: event.event, key: event.key };
    if (!rules.triggers?.some(({ events }) => events.includes(event.event))) return;
    try {
      const failures = await run(lanes.write, TELL, caller, event) as { handler: string }[] | undefined;
      for (const failure of failures ?? []) {
        log.error({ ...failure, ...about }, 'a function notified of a file event failed');
      }
    } catch (error) {
      log.error({ err: error, ...about }, 'the functions for file events could not be called');
    }
  }
}

function callsFunctions({ authorize, policies = [] }: StorageSetting): boolean {
  return authorize !== undefined || policies.some(({ allow }) => typeof allow === 'object' && 'function' in allow);
}

/** As service_private.authorize_file: policies may allow every caller, and rows may be changeable for every caller. */
function letStrangersWrite({ policies = [] }: StorageSetting): boolean {
  return policies.some(({ allow, operations }) =>
    (operations?.includes('write') ?? true) && (allow === 'public' || (typeof allow === 'object' && 'row' in allow)));
}

async function run(lane: Lane, statement: Statement, caller: Caller, asked: FileRequest | FileEvent): Promise<unknown> {
  const parameters = [...caller.claims, JSON.stringify(asked)];
  const [answer] = await retryOnConflict(() => lane.run(statement, parameters, { key: () => `${caller.kind} ${caller.uid}` }));
  return answer ? JSON.parse(String(answer)) : undefined;
}
