// A provisioned database that is changed by hand: the plan or the audit reports it, with the SQL that mends it.
import t, { test } from 'tap';
import type postgres from 'postgres';
import { createDatabase, registerTemplate } from '../harness/database.ts';
import { some } from '../harness/effort.ts';
import { onServed } from '../harness/service.ts';
import { provision } from './declared.ts';
import { projectOf } from './loaded.ts';

const id = { type: 'number', isId: 'increment' };
const files = {
  users: { properties: { id, name: { type: 'string', validation: { required: true, unique: true } } } },
  tags: { properties: { id, name: { type: 'string' } } },
  posts: {
    history: true,
    properties: {
      id, title: { type: 'string', validation: { required: true } }, state: { type: 'string', enum: ['draft', 'live'] },
      price: { type: 'number', columnType: 'integer', defaultValue: 1 }, changedAt: { type: 'date', autoValue: 'on_update' },
      author: { type: 'relation', relation: { kind: 'belongsTo', target: 'users' } },
      tags: { type: 'relation', relation: { kind: 'manyToMany', target: 'tags' } },
    },
    search: { fields: ['title'] }, indexes: [{ on: ['price'], reason: 'Lists by price.' }],
    securityRules: [{ operation: 'select', name: 'read', access: 'public' }, { operation: 'update', name: 'change', roles: ['editor'] }],
  },
};

/** The damage, the subject of the report, and the value of a placeholder in its SQL. */
type Damage = { sql: string; about: RegExp; filled?: [string, string] };

const damages: Record<string, Damage> = {
  'a column of another type': {
    sql: 'alter table posts alter column price type bigint', about: /posts\.price/, filled: ['using …', 'using price::integer'],
  },
  'a column that is gone': { sql: 'alter table posts drop column price', about: /posts\.price/ },
  'a column of another name': { sql: 'alter table posts rename column price to cost', about: /posts\.price/ },
  'no NOT NULL': { sql: 'alter table posts alter column title drop not null', about: /posts\.title/ },
  'NOT NULL that nobody asked for': { sql: 'alter table posts alter column state set not null', about: /posts\.state/ },
  'a column that nothing can be created without': { sql: 'alter table posts add column code text not null', about: /posts\.code/ },
  'another default': { sql: 'alter table posts alter column price set default 7', about: /posts\.price/ },
  'no default': { sql: 'alter table posts alter column price drop default', about: /posts\.price/ },
  'no identity': { sql: 'alter table tags alter column id drop identity', about: /tags\.id/ },
  'no primary key': { sql: 'alter table posts_tags drop constraint posts_tags_pkey', about: /posts_tags/ },
  'no unique constraint': { sql: 'alter table users drop constraint users_name_key', about: /users/ },
  'no foreign key': { sql: 'alter table posts drop constraint posts_author_id_fkey', about: /posts_author_id_fkey/ },
  'a foreign key that deletes': {
    sql: 'alter table posts drop constraint posts_author_id_fkey, add constraint posts_author_id_fkey foreign key (author_id) references '
      + 'users on delete cascade',
    about: /posts_author_id_fkey/,
  },
  'a foreign key that was never validated': {
    sql: 'alter table posts drop constraint posts_author_id_fkey, add constraint posts_author_id_fkey foreign key (author_id) references '
      + 'users on delete set null not valid',
    about: /posts_author_id_fkey/,
  },
  'no index': { sql: `do $$ begin execute (select 'drop index ' || indexrelid::regclass from pg_index
    where indexrelid::regclass::text like 'posts_price_%'); end $$`, about: /price/ },
  'an index that failed': {
    sql: `update pg_index set indisvalid = false where indexrelid::regclass::text like 'posts_price_%'`, about: /price/,
  },
  'no search column': { sql: 'alter table posts drop column search_vector', about: /search_vector/ },
  'a label of another name': {
    sql: `alter type posts_state rename value 'live' to 'public'`, about: /posts_state/,
    filled: ['', `alter type posts_state rename value 'public' to 'live'`],
  },
  'no junction': { sql: 'drop table posts_tags', about: /posts_tags/ },
  'row security off': { sql: 'alter table posts disable row level security', about: /posts/ },
  'a policy that is gone': { sql: 'drop policy read on posts', about: /read/ },
  'a policy that says something else': { sql: 'alter policy change on posts using (true)', about: /change/ },
  'a policy of somebody': { sql: 'create policy mine on posts for delete using (true)', about: /mine/ },
  'a right that is gone': { sql: 'revoke insert on posts from service_user', about: /service_user/ },
  'no trigger': { sql: 'drop trigger _910_history on posts', about: /_910_history/ },
  'a trigger that is switched off': { sql: 'alter table posts disable trigger _910_history', about: /_910_history/ },
  'a stamp that is gone': { sql: `do $$ begin execute (select format('drop trigger %I on posts', tgname)
    from pg_trigger where tgrelid = 'posts'::regclass and tgname like '_300%'); end $$`, about: /posts/ },
};

type Told = { target: string; sql: string | null };

/** By the plan and by the audit. */
async function told(sql: postgres.Sql): Promise<Told[]> {
  const planned = await sql<Told[]>`select target, coalesce(statement, remedy) as sql from service.schema_plan()`;
  const audited = await sql<Told[]>`
    select concat_ws('.', f #>> '{target,schema}', f #>> '{target,table}', f #>> '{target,policy}') || ' ' || (f ->> 'detail') as target,
    f ->> 'fix' as sql
    from jsonb_array_elements(service.audit() -> 'findings') f`;
  return [...planned, ...audited];
}

/** Statement by statement; what another has mended already may be there, or gone. */
async function mend(sql: postgres.Sql, found: Told[], [from, to]: [string, string] = ['…', '…']): Promise<void> {
  const statements = found.flatMap(({ sql: mends }) => (from === '' ? to : (mends ?? '').replace(from, to)).split(/;\s*(?:\n|$)/));
  for (const statement of statements.filter(text => text.trim() !== '')) {
    await sql.unsafe(statement).catch((error: unknown) => {
      if (!/already exists|does not exist|is not an existing/.test((error as Error).message)) throw error;
    });
  }
}

const state = (sql: postgres.Sql) => sql`
  select (select json_agg(a order by attrelid, attnum) from pg_attribute a where attrelid > 16384)::text as columns,
    (select json_agg(p order by polrelid, polname) from pg_policy p)::text as policies,
    (select json_agg(t order by oid) from pg_trigger t)::text as triggers,
    (select json_agg(c order by oid) from (select oid, relname, relrowsecurity, relacl from pg_class where oid > 16384) c)::text as tables,
    (select json_agg(c order by oid) from pg_constraint c)::text as constraints,
    (select json_agg(e order by oid) from pg_enum e)::text as labels`;

const project = projectOf(t, files);
registerTemplate('damage', onServed({
  content: () => project,
  async build(sql) {
    await sql`select service_private.define_collections(${project}::text::jsonb)`;
    await provision(sql);
    await sql`insert into users (name) values ('Ada')`;
  },
}));

for (const [what, { sql: damage, about, filled }] of some(Object.entries(damages))) {
  test(what, async t => {
    const { sql } = await createDatabase(t, { template: 'damage' });
    const before = await told(sql);
    await sql.unsafe(damage);
    const damaged = await state(sql);
    const news = async () =>
      (await told(sql)).filter(({ target, sql: mends }) => !before.some(known => known.target === target && known.sql === mends));
    const found = await news();
    t.ok(found.some(({ target, sql: mends }) => about.test(target) && mends !== null), 'it is told, with SQL', { found });
    t.same(await state(sql), damaged, 'telling changes nothing');
    await mend(sql, found, filled);
    await mend(sql, await news(), filled); // an index is dropped before it is made
    t.same(await news(), [], 'and mended by its SQL');
  });
}
