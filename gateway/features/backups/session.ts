import type postgres from 'postgres';
import { findClient, type Client } from '../../client/client.ts';
import type { Config } from '../config.ts';

/** A database, and the programs that work on it. */
export type Session = {
  client: Client;
  /** The major version of the server. */
  server: number;
  database: string;
  /** The connection, for the environment of a program. */
  env: Record<string, string>;
};

/** @throws BootError where no program fits the server. */
export async function openSession(owner: postgres.Sql, config: Config): Promise<Session> {
  const [row] = await owner<{ version: number; database: string }[]>`
    select current_setting('server_version_num')::integer as version, current_database() as database`;
  if (row === undefined) throw new Error('The server did not tell its version.');
  const server = Math.floor(row.version / 10_000);
  const { pgDumpPath: dump, pgDumpallPath: dumpAll, pgRestorePath: restore } = config;
  const client = await findClient({ server, named: { dump, dumpAll, restore }, fetches: config.databaseUrl === undefined });
  return { client, server, database: row.database, env: { ...environmentOf(owner.options), PGDATABASE: row.database } };
}

/** The same for another database of the server. */
export function sessionOf(session: Session, database: string): Session {
  return { ...session, database, env: { ...session.env, PGDATABASE: database } };
}

/** As the driver read the URL. The password is in no argument, and in no file. */
function environmentOf({ host, port, user, pass, ssl, connect_timeout: timeout }: postgres.Sql['options']): Record<string, string> {
  return {
    PGHOST: host.join(','), PGPORT: port.join(','), PGUSER: user, PGAPPNAME: 'rowgate backup',
    PGCONNECT_TIMEOUT: String(timeout), ...(typeof pass === 'string' && { PGPASSWORD: pass }),
    ...(typeof ssl === 'string' && { PGSSLMODE: ssl }), ...(ssl === true && { PGSSLMODE: 'require' }),
  };
}
