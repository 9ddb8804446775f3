// docs/sql.md: the functions of schema service, from their comments and the examples in their files. Written by npm run schema.
import { join } from 'node:path';
import type postgres from 'postgres';
import { functionOf } from '../../gateway/start/schema-files.ts';
import { ROOT } from '../harness/server.ts';
import { schema } from '../harness/service.ts';

export const SQL_DOCUMENT = join(ROOT, 'docs/sql.md');

/** The folders of sql/public/, in the order of the document. */
const GROUPS: Record<string, { title: string; about: string }> = {
  identity: {
    title: 'Identity', about: 'For policies, callbacks and sessions in `psql`: the caller of a request, and errors of your own.',
  },
  data: { title: 'Rows', about: 'The answers of `/data`, in SQL. See [Your database](your-database.md).' },
  schema: { title: 'Schema', about: 'The collections: their definitions, the difference to the database, and the contract.' },
  policies: { title: 'Policies', about: 'Row security as the collection files ask for it. See [Row security](row-security.md).' },
  access: {
    title: 'Access', about: 'Why a caller may, or may not, for DBAs. See [Why was this refused, or not shown](why.md).',
  },
  audit: { title: 'Audit', about: 'Holes in the row security of the database. See [Audit](audit.md).' },
  functions: {
    title: 'Functions', about: 'Functions of yours that are served over HTTP. See [SQL functions over HTTP](sql-functions.md).',
  },
  jobs: { title: 'Jobs', about: 'Work after the commit, in the table `service.jobs`.' },
  webhooks: { title: 'Webhooks', about: 'Changes of rows that are sent to HTTP receivers. See [Webhooks](webhooks.md).' },
  cron: { title: 'Schedules', about: 'Scheduled jobs, which the view `service.cron_jobs` shows. See [Schedules](schedules.md).' },
  metrics: { title: 'Metrics', about: 'The numbers of `/metrics/history`. See [Operating](operations.md).' },
  realtime: { title: 'Realtime', about: 'Channels, and the changes of tables. See [Realtime](realtime.md).' },
  accounts: { title: 'Accounts', about: 'For a DBA who helps the owner of an account. See [Accounts](accounts.md).' },
  oauth: { title: 'Agents', about: 'For a DBA who sees and limits what agents may do. See [Agents](mcp.md#for-operators).' },
  storage: { title: 'Files', about: 'See [File access](file-access.md).' },
};

const HEAD = `# SQL functions

Schema \`service\` holds the tables of the service and the functions that policies, callbacks and DBAs call. Schema \`service_private\` `
  + `holds
all others; they may change with any version. \`\\df service.*\` lists what follows, \`\\df+\` with its descriptions.

A function runs with the rights of its caller unless it says *as the owner*. *Callers of requests* may execute those that say so; all are
for the owner of the schema, and for the roles to which you grant them.
`;

type Described = { name: string; arguments: string; result: string; comment: string; as_owner: boolean; for_callers: boolean };

/** The example of each function of schema service, by its name. */
export const examples = new Map(schema.sources.filter(({ path }) => path.startsWith('sql/public/')).map(source =>
  [functionOf(source) ?? source.path, /^-- Example: (.*)$/m.exec(source.text)?.[1] ?? '']));

/** The text of docs/sql.md for a database that was just migrated. */
export async function sqlDocument(sql: postgres.Sql): Promise<string> {
  const rows = await sql<Described[]>`
    select p.proname as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
      obj_description(p.oid, 'pg_proc') as comment, p.prosecdef as as_owner,
      has_function_privilege('service_user', p.oid, 'execute') as for_callers
    from pg_proc p where p.pronamespace = 'service'::regnamespace order by p.proname collate "C"`;
  const groupOf = new Map(schema.sources.map(source => [functionOf(source), /^sql\/public\/(\w+)\//.exec(source.path)?.[1]]));
  const unnamed = [...new Set(groupOf.values())].filter(group => group !== undefined && !Object.hasOwn(GROUPS, group));
  if (unnamed.length > 0) throw new Error(`docs/sql.md leaves out sql/public/${unnamed.join(', ')}.`);
  const sections = Object.entries(GROUPS).map(([group, { title, about }]) => {
    const functions = rows.filter(({ name }) => groupOf.get(name) === group).map(described);
    return [`## ${title}\n\n${about}\n`, ...functions].join('\n');
  });
  return [HEAD, ...sections].join('\n');
}

function described({ name, arguments: given, result, comment, as_owner: asOwner, for_callers: forCallers }: Described): string {
  const rights = [...(asOwner ? ['as the owner'] : []), ...(forCallers ? ['callers of requests'] : [])].join('; ');
  const signature = `service.${name}(${given.replaceAll('service_private.service_claims()', 'the service key')}) → ${result}`;
  return `### ${name}\n\n\`${signature}\`${rights === '' ? '' : ` *(${rights})*`}\n\n${comment}\n\n\`\`\`sql\n${examples.get(name)
    ?? ''}\n\`\`\`\n`;
}
