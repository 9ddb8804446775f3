import { ApiError } from '../../../error.ts';
import type { AdminScope } from '../../../config/scopes.ts';
import { isObject } from '../../../json/exact.ts';
import { isStorable } from '../../../storable.ts';
import type { Frame } from '../frame.ts';
import type { Part } from '../frame-group.ts';
import type { Session } from '../session.ts';
import { createBranches } from './branches.ts';
import type { AdminFramesOptions } from './options.ts';
import { createRunSql } from './run-sql.ts';

type Handle = (session: Session, payload: Frame['payload']) => Promise<object>;

/** Frames about the database itself, past row security: for admins, and for roles and keys with the scope. */
export function adminFrames(options: AdminFramesOptions): Part {
  const { requireScope, ask, roles } = options;
  const runSql = createRunSql(options);
  const branches = createBranches(options, runSql);
  const rule = (scope: AdminScope, handle: Handle) => ({
    kind: 'request' as const,
    handle(session: Session, { payload }: Frame) {
      requireScope(session.caller, scope);
      return handle(session, payload);
    },
  });
  return {
    frames: {
      EXECUTE_SQL: rule('database:write', executeSql),
      FETCH_DATABASES: rule('database:read', fetchDatabases),
      FETCH_ROLES: rule('database:read', fetchRoles),
      FETCH_APPLICATION_ROLES: rule('database:read', fetchApplicationRoles),
      FETCH_CURRENT_DATABASE: rule('database:read', fetchCurrentDatabase),
      FETCH_UNMAPPED_TABLES: rule('database:read', fetchUnmappedTables),
      FETCH_TABLE_METADATA: rule('database:read', fetchTableMetadata),
      CREATE_BRANCH: rule('database:write', async (session, { name, options }) =>
        ({ branch: await branches.create(session, name, isObject(options) ? options['source'] : undefined) })),
      DELETE_BRANCH: rule('database:write', async (session, { name }) => {
        await branches.remove(session, name);
        return { success: true };
      }),
      LIST_BRANCHES: rule('database:read', async session => ({ branches: await branches.list(session) })),
    },
  };

  async function executeSql(session: Session, { sql, options = {}, mode }: Frame['payload']): Promise<object> {
    if (!isText(sql)) throw invalid('"sql" must be a text.');
    if (mode !== undefined && mode !== 'script') throw invalid('"mode" must be script, or not be there.');
    if (!isObject(options)) throw invalid('"options" must be an object.');
    const { params, ...names } = options;
    if (params !== undefined && (!Array.isArray(params) || mode === 'script')) throw invalid('"params" is a list, of one statement.');
    if (params?.some(value => typeof value === 'string' && !isStorable(value))) {
      throw invalid('"params" holds text that PostgreSQL cannot store.');
    }
    const isScript = mode === 'script';
    const given = { text: sql, isScript, database: nameOf(names, 'database'), role: nameOf(names, 'role') };
    const done = await runSql(session, 'EXECUTE_SQL', { ...given, parameters: params?.map(sent) ?? [] });
    const result = done.findLast(({ rows }) => rows.length > 0)?.rows ?? [];
    return isScript ? { result, script: done } : { result };
  }

  async function fetchDatabases({ caller }: Session): Promise<object> {
    const rows = await ask<{ name: string }[]>(caller.uid, sql => sql`
      select datname as name from pg_database
      where datallowconn and not datistemplate and has_database_privilege(oid, 'connect') order by datname`);
    return { databases: rows.map(({ name }) => name) };
  }

  async function fetchRoles({ caller }: Session): Promise<object> {
    const rows = await ask<{ name: string }[]>(caller.uid, sql => sql`
      select rolname as name from pg_roles where not starts_with(rolname, 'pg_') order by rolname`);
    return { roles: rows.map(({ name }) => name) };
  }

  /** Those that are declared, and those that accounts have. */
  async function fetchApplicationRoles({ caller }: Session): Promise<object> {
    const rows = await ask<{ name: string }[]>(caller.uid, sql => sql`select distinct unnest(roles) as name from service.users`);
    return { roles: [...new Set([...roles.map(({ id }) => id), ...rows.map(({ name }) => name)])].sort() };
  }

  async function fetchCurrentDatabase({ caller }: Session): Promise<object> {
    const [row] = await ask<{ database: string }[]>(caller.uid, sql => sql`select current_database() as database`);
    return { ...row };
  }

  async function fetchUnmappedTables({ caller }: Session, { mappedPaths = [] }: Frame['payload']): Promise<object> {
    if (!Array.isArray(mappedPaths) || !mappedPaths.every(isText)) throw invalid('"mappedPaths" must be a list of names.');
    const mapped = JSON.stringify(mappedPaths);
    const [row] = await ask<{ tables: object }[]>(caller.uid, sql => sql`
      select to_json(service.unmapped_tables(array(select json_array_elements_text(${mapped}::text::json)))) as tables`);
    return { ...row };
  }

  async function fetchTableMetadata({ caller }: Session, { tableName }: Frame['payload']): Promise<object> {
    if (!isText(tableName)) throw invalid('"tableName" must be a text.');
    const [row] = await ask<{ metadata: object | null }[]>(caller.uid, sql => sql`select service.table_metadata(${tableName}) as metadata`);
    if (row?.metadata == null) throw new ApiError(404, 'NOT_FOUND', 'There is no such table.');
    return { metadata: row.metadata };
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && isStorable(value);
}

/** Bytes of a name in PostgreSQL, which cuts off what is longer. */
const LONGEST_NAME = 63;

/** The name of a database or a role. */
function nameOf(options: Record<string, unknown>, option: string): string | undefined {
  const value = options[option] ?? undefined;
  if (value === undefined || (isText(value) && Buffer.byteLength(value) <= LONGEST_NAME)) return value;
  throw invalid(`"${option}" must be a text of at most ${LONGEST_NAME} bytes.`);
}

/** As the driver takes it: a number that JavaScript would change stays its text. */
function sent(value: unknown): unknown {
  return JSON.isRawJSON(value) ? value.rawJSON : value;
}

function invalid(message: string): ApiError {
  return new ApiError(400, 'INVALID_INPUT', message);
}
