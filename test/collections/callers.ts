import type postgres from 'postgres';

/** The callers, as the gateway passes them to the database. */
export const callers = {
  owner: claims('u1', ''),
  other: claims('u2', ''),
  editor: claims('u3', 'editor,writer'),
  admin: claims('u4', 'admin'),
  serviceKey: claims('service', 'admin'),
  anonymous: claims('', ''),
};
export type CallerName = keyof typeof callers;

function claims(uid: string, roles: string, jwt: object = { org_id: uid === 'u1' ? 'o1' : 'o2' }) {
  return { uid, roles, isAnonymous: false, jwt };
}

/** The values of one field in a list of the collection, for each caller. */
export async function seen(sql: postgres.Sql, collection: string, field = 'id'): Promise<Record<CallerName, unknown[]>> {
  const entries = await Promise.all(Object.entries(callers).map(async ([name, caller]) => {
    const [row] = await sql<{ body: { data: Record<string, unknown>[] } }[]>`
      select service.list(${collection}, '{"orderBy": [{"field": "id", "direction": "asc"}]}',
        ${JSON.stringify(caller)}::text::jsonb) as body`;
    return [name, row?.body.data.map(found => found[field])] as const;
  }));
  return Object.fromEntries(entries) as Record<CallerName, unknown[]>;
}

/** Runs a statement as the caller and rolls it back: the rows it touched, or the SQLSTATE. Null: no caller has entered. */
export async function attempt(sql: postgres.Sql, caller: CallerName | null, statement: string): Promise<number | string> {
  const undone = new Error('undone');
  let count: number | string = 0;
  try {
    await sql.begin(async transaction => {
      await transaction`set local role service_user`;
      if (caller !== null) await transaction`select service.enter(${callers[caller].uid}, ${callers[caller].roles},
        'false', ${JSON.stringify(callers[caller].jwt)})`;
      count = (await transaction.unsafe(statement)).count;
      throw undone;
    });
  } catch (error) {
    if (error !== undone) return (error as postgres.PostgresError).code;
  }
  return count;
}

/** The same statement for every caller, and for a session that has not entered. */
export async function attempts(sql: postgres.Sql, statement: string): Promise<Record<CallerName | 'nobody', number | string>> {
  const result = { nobody: await attempt(sql, null, statement) } as Record<CallerName | 'nobody', number | string>;
  for (const name of Object.keys(callers) as CallerName[]) result[name] = await attempt(sql, name, statement);
  return result;
}
