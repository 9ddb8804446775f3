import type postgres from 'postgres';
import type { Test } from 'tap';
import { createDatabase } from '../harness/database.ts';

/** A database that belongs to an owner who is no superuser, with these rights. */
export async function ownedDatabase(t: Pick<Test, 'teardown'>, rights: string, setup = ''): Promise<{
  url: string; owner: string; admin: postgres.Sql;
}> {
  const { url, name, sql } = await createDatabase(t);
  const owner = `${name}_owner`;
  t.teardown(async () => { await sql.unsafe(`drop role ${owner}`).catch(() => undefined); });
  await sql.unsafe(`create role ${owner} login password 'owner' ${rights};
    alter database ${name} owner to ${owner}; alter schema public owner to ${owner};
    do $$ begin create role service_user nologin noinherit; exception when duplicate_object or unique_violation then null;
    end $$; ${setup.replaceAll('OWNER', owner)}`).simple();
  const own = new URL(url);
  own.username = owner;
  own.password = 'owner';
  return { url: own.href, owner, admin: sql };
}
