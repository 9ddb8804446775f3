/** Questions to the gate of files, each as a caller. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type postgres from 'postgres';
import type { Test } from 'tap';
import { useStorageRules, type StorageRules } from '../../gateway/features/storage/rules.ts';
import type { StorageSetting } from '../../gateway/features/storage/settings-file.ts';
import { ApiError } from '../../gateway/error.ts';
import { anonymousCaller, enteringValues, serviceCaller, verifiedClaims, type Caller } from '../../gateway/identity/caller.ts';
import { createGate, type FileEvent, type FileRequest, type Gate } from '../../gateway/features/storage/gate.ts';
import { createService, type TestService } from '../harness/service.ts';

export type Asked = {
  /** `yes`, or the status and code of the refusal. */
  may: (who: string | null, operation: FileRequest['operation'], key: string, more?: Partial<FileRequest>) => Promise<string>;
  /** The refusal whole; undefined without one. */
  refusal: (...asked: Parameters<Asked['may']>) => Promise<ApiError | undefined>;
  bound: (key: string, more?: Partial<FileRequest>) => ReturnType<Gate['allow']>;
  /** Other rules from now on, as a start would have the database use them. */
  use: (rules: Partial<StorageRules>) => Promise<void>;
  tell: (who: string | null, event: FileEvent) => Promise<void>;
  /** The log of the service. */
  logged: Record<string, unknown>[];
  sql: postgres.Sql;
  service: TestService;
};
type Project = { collections?: { slug: string; [key: string]: unknown }[]; setup?: string; env?: Record<string, string> };

/** Collection files of its own, where the test's directory is another's. */
export function projectOf(
  t: Pick<Test, 'teardown'>, ...files: { slug: string; [key: string]: unknown }[]
): { SERVICE_COLLECTIONS_DIR: string } {
  const folder = mkdtempSync(join(tmpdir(), 'collections-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  for (const file of files) writeFileSync(join(folder, `${file.slug}.json`), JSON.stringify(file));
  return { SERVICE_COLLECTIONS_DIR: folder };
}

/** A settings file of its own. */
export function settings(t: Pick<Test, 'teardown'>, content: object): { SERVICE_CONFIG_FILE: string } {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  t.teardown(() => { rmSync(folder, { recursive: true }); });
  const file = join(folder, 'rowgate.json');
  writeFileSync(file, JSON.stringify(content));
  return { SERVICE_CONFIG_FILE: file };
}

export async function serveAsked(
  t: Test, rules: StorageSetting, { collections: files = [], setup, env = {} }: Project = {},
): Promise<Asked> {
  const project = files.length === 0 ? {} : projectOf(t, ...files);
  const service = await createService(t, {
    template: 'served', env: { ...env, ...project, ...settings(t, { storage: rules }) }, ...(setup !== undefined && { setup }),
  });
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => { logged.push(JSON.parse(line) as Record<string, unknown>); } });
  const { lanes, reads } = service.database;
  const gate = createGate({ rules, authRequired: env['AUTH_REQUIRE'] !== 'false', lanes, reads, verbose: true, log });
  const refusal: Asked['refusal'] = (who, operation, key, more) => gate.allow(
    callerOf(who), { operation, key, ...more },
  ).then(() => undefined, (error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
  return {
    refusal,
    may: async (...asked) => {
      const refused = await refusal(...asked);
      return refused === undefined ? 'yes' : `${refused.status} ${refused.code}`;
    },
    bound: (key, more) => gate.allow(callerOf('ada'), { operation: 'write', key, ...more }),
    use: async rules => useStorageRules(service.sql, { publicRead: false, allowAnyAuthenticated: false, authRequired: true, ...rules }),
    tell: (who, event) => gate.tell(callerOf(who), event),
    logged, sql: service.sql, service,
  };
}

/** Null has not signed in; `ada:editor` is ada with the role editor. */
export function callerOf(who: string | null): Caller {
  if (who === null) return anonymousCaller;
  if (who === 'service') return serviceCaller;
  const [uid = '', ...roles] = who.split(':');
  return {
    uid, roles, kind: 'user', claims: enteringValues('user', verifiedClaims(uid, roles, false, {})), expiresAt: Infinity, isGuest: false,
  };
}
