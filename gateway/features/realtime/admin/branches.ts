import { ApiError } from '../../../error.ts';
import type { Session } from '../session.ts';
import type { AdminFramesOptions } from './options.ts';
import { socketError, type RunSql } from './run-sql.ts';

export type Branch = { name: string; parentDatabase: string; createdAt: string; sizeBytes: number };

/** A branch is a database that its comment says is one: nothing else is ever deleted. */
const MARK = 'rowgate branch ';
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** Copies of the database beside it on its server. */
export function createBranches({ ask, isEmbedded }: Pick<AdminFramesOptions, 'ask' | 'isEmbedded'>, runSql: RunSql) {
  return { list, create, remove };

  async function list({ caller }: Session): Promise<Branch[]> {
    requireServer();
    const rows = await ask<{ name: string; mark: string; size: string }[]>(caller.uid, sql => sql`
      select d.datname as name, c.description as mark, pg_database_size(d.oid)::text as size
      from pg_database d
      join pg_shdescription c on c.classoid = 'pg_database'::regclass and c.objoid = d.oid
      where starts_with(c.description, ${MARK})
      order by d.datname`);
    return rows.map(({ name, mark, size }) => ({ name, ...markOf(mark), sizeBytes: Number(size) }));
  }

  async function create(session: Session, name: unknown, source: unknown): Promise<Branch> {
    requireServer();
    const branch = nameOf(name);
    const main = await current(session);
    const known = (await list(session)).map(({ name }) => name);
    const parentDatabase = source ?? main;
    if (typeof parentDatabase !== 'string') throw new ApiError(400, 'INVALID_INPUT', '"source" must be the name of a database.');
    if (parentDatabase !== main && !known.includes(parentDatabase)) throw noBranch(parentDatabase);
    await runSql(session, 'CREATE_BRANCH', { text: `create database ${quoted(branch)} template ${quoted(parentDatabase)}` });
    const createdAt = new Date().toISOString();
    const mark = MARK + JSON.stringify({ parentDatabase, createdAt });
    await runSql(session, 'CREATE_BRANCH', { text: `comment on database ${quoted(branch)} is '${mark.replaceAll("'", "''")}'` });
    const made = (await list(session)).find(({ name }) => name === branch);
    return made ?? { name: branch, parentDatabase, createdAt, sizeBytes: 0 };
  }

  async function remove(session: Session, given: unknown): Promise<void> {
    requireServer();
    const name = nameOf(given);
    if (name === await current(session) || !(await list(session)).some(branch => branch.name === name)) throw noBranch(name);
    await runSql(session, 'DELETE_BRANCH', { text: `drop database ${quoted(name)}` });
  }

  async function current({ caller }: Session): Promise<string> {
    const [row] = await ask<{ name: string }[]>(caller.uid, sql => sql`select current_database() as name`);
    return row?.name ?? '';
  }

  function requireServer(): void {
    if (isEmbedded) throw socketError('BRANCHING_UNSUPPORTED', 'The embedded server has no branches: set DATABASE_URL.');
  }
}

function markOf(mark: string): Pick<Branch, 'parentDatabase' | 'createdAt'> {
  return JSON.parse(mark.slice(MARK.length)) as Pick<Branch, 'parentDatabase' | 'createdAt'>;
}

function nameOf(given: unknown): string {
  if (typeof given === 'string' && NAME.test(given)) return given;
  throw new ApiError(400, 'INVALID_INPUT', '"name" must be up to 40 lower-case letters, digits, - and _.');
}

function noBranch(name: string): ApiError {
  return new ApiError(404, 'NOT_FOUND', `${name} is no branch of this database.`);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
