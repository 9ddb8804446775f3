import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { functionOf } from '../../gateway/start/schema-files.ts';
import { schema } from '../harness/service.ts';
import { functionFiles, provision } from './dump.ts';

test('a file of sql/ is one function, named like it, described, and not for everybody', t => {
  for (const { path: name, text } of functionFiles) {
    const [, expected = ''] = /\/(\w+)\.sql$/.exec(name) ?? [];
    const defined = [...text.matchAll(/^create or replace function ([\w.]+)\(/gm)].map(([, found]) => found);
    t.same(defined, [`${name.startsWith('sql/public/') ? 'service' : 'service_private'}.${expected}`],
      `${name} defines its function and no other`);
    t.match(text, new RegExp(`^comment on function service(?:_private)?\\.${expected}\\(`, 'm'), `${name} describes it`);
  }
  t.not(functionFiles.length, 0);
  t.end();
});

test('SQL is read on a screen: its lines have at most 140 characters', t => {
  for (const { path, text } of [...schema.sources, ...schema.migrations.map(({ name, body }) => ({ path: name, text: body }))]) {
    t.same(text.split('\n').filter(line => line.length > 140), [], path);
  }
  t.end();
});

test('every function of the schema has its file', async t => {
  const { sql } = await createDatabase(t);
  await provision(sql);
  const found = await sql<{ name: string }[]>`select proname as name
    from pg_proc where pronamespace in ('service'::regnamespace, 'service_private'::regnamespace) order by 1`;
  t.same(found.map(({ name }) => name).filter(name => name !== 'install'), functionFiles.map(functionOf).sort());
});

test('a function with the owner\'s rights stands in a folder that says so', async t => {
  const { sql } = await createDatabase(t);
  await provision(sql);
  const definers = await sql<{ name: string }[]>`
    select proname as name from pg_proc where prosecdef and pronamespace in ('service'::regnamespace, 'service_private'::regnamespace)
    order by 1`;
  t.same(definers.map(({ name }) => name), functionFiles.filter(({ path }) => path.includes('/as_owner/')).map(functionOf).sort());
});

type Finding = { function: string; line: number | null; message: string };
type Accepted = { functions: RegExp; message: RegExp; because: string };

/** Warnings of the checker that are intended. Everything else is a defect. */
const ACCEPTED: Accepted[] = [
  {
    functions: /^(run_shape|tried_statement|write|run_planned|keep|open_document)$/, message: /^text type variable is not sanitized/,
    because: 'they run the statements that service.compile and its like wrote; values are parameters',
  },
  {
    functions: /^(provision|unreadable_columns|unusable_reason|literal_fault|call_account_hook|require_accounts)$/,
    message: /^text type variable is not sanitized/, because: 'their texts come from the catalog, names quoted, values as parameters',
  },
  {
    functions: /^(write|revert_row|allow_file|may_caller_delete_file|notify_of_file|\w+__history)$/,
    message: /^never read variable "(done|entered|recorded)"/, because: 'an assignment calls a function at a third of what PERFORM costs',
  },
  {
    functions: /^(allows_call|allows_row|notify_of_file)$/, message: /^text type variable is not sanitized/,
    because: 'they run, as who calls them, functions that service_private.caller_function has found, and statements of '
      + 'service_private.file_statements',
  },
  {
    functions: /^(stored_row|verdicts)$/, message: /^text type variable is not sanitized/,
    because: 'names and conditions come from the catalog, and conditions run as the caller; values are parameters',
  },
  {
    functions: /^grant_served$/, message: /^text type variable is not sanitized/,
    because: 'it runs the statements of service_private.missing_grants',
  },
  {
    functions: /^install$/, message: /^text type variable is not sanitized/,
    because: 'it runs the files of sql/ and policies/, for the owner alone',
  },
  {
    functions: /^expression_fault$/, message: /^text type variable is not sanitized/,
    because: 'it only has a text parsed, in a statement that always fails before it means anything',
  },
  { functions: /^restricted_fault$/, message: /schema "pg_temp" does not exist/, because: 'it makes the function that it calls there' },
  {
    functions: /^login_role$/, message: /^text type variable is not sanitized/,
    because: 'the name of a setting (app.uid) is no identifier to quote; only the gateway names them',
  },
  {
    functions: /./, message: /^control reached end of function without RETURN/,
    because: 'the way there ends in service.fail, which never returns',
  },
  {
    functions: /./, message: /^target type is different type than source type/,
    because: 'text is read into json or an array once, where a variable is declared',
  },
];

if (process.env['PLPGSQL_CHECK'] === '1') {
  // The example has functions that its collections made.
  for (const template of ['served', 'served_store']) test(`plpgsql_check finds nothing in any PL/pgSQL function (${template})`, async t => {
    const { sql } = await createDatabase(t, { template });
    await sql`create extension plpgsql_check`;
    const checked = await sql`
      select p.oid::int from pg_proc p join pg_language l on l.oid = p.prolang
      where l.lanname = 'plpgsql' and p.pronamespace::regnamespace::text ~ '^service'`;
    t.ok(checked.length > 20, `${checked.length} functions`);
    const findings = await sql<Finding[]>`
      select p.proname as function, c.lineno as line, concat_ws(': ', c.message, c.detail, c.query) as message
      from pg_proc p
      join pg_language l on l.oid = p.prolang
      -- A trigger function is checked on a table that it is of; one of generated triggers is for any.
      left join lateral (select g.tgrelid from pg_trigger g where g.tgfoid = p.oid limit 1) g on true
      cross join lateral plpgsql_check_function_tb(p.oid,
        case p.prorettype when 'trigger'::regtype then coalesce(g.tgrelid, 'service.collections'::regclass) else 0 end,
        -- What the changed rows are called where a trigger of whole statements sees them.
        newtable => case p.proname when 'announce_change' then 'changed_rows'
        end, oldtable => case p.proname when 'announce_change' then 'old_rows' when 'delete_deliveries' then 'gone_jobs' end,
        other_warnings => true, extra_warnings => true, security_warnings => true) c
      where l.lanname = 'plpgsql' and p.pronamespace::regnamespace::text ~ '^service'
      order by 1, 2`;
    t.same(findings.filter(finding =>
      !ACCEPTED.some(({ functions, message }) => functions.test(finding.function) && message.test(finding.message))), []);
  });

  test('the checker is awake', async t => {
    const { sql } = await createDatabase(t);
    await sql`create extension plpgsql_check`;
    await sql.unsafe('create function broken() returns int language plpgsql as $$ begin return missing from pg_class; end $$');
    const findings = await sql`select message from plpgsql_check_function_tb('broken'::regproc)`;
    t.match(findings[0]?.['message'], /"missing" does not exist/);
  });
} else {
  console.log('# plpgsql_check is for PLPGSQL_CHECK=1 and a server that has the extension.');
}
