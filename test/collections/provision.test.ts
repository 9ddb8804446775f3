import { test } from 'tap';
import { type Declared, define, fingerprint, plan, provision, provisioned } from './declared.ts';

const status = { schema: 'public', name: 'posts_status', labels: ['draft', 'live'] };

const posts: Declared = {
  columns: {
    id: { type: 'bigint', identity: true },
    title: { type: 'character varying(200)', notNull: true },
    status: { type: 'public.posts_status', default: `'draft'`, enumType: status },
    price: { type: 'numeric(10,2)', default: '0' },
    weight: { type: 'double precision' },
    flags: { type: 'text[]' },
    data: { type: 'jsonb', default: `'{"a": [1, 2]}'` },
    published: { type: 'boolean', default: 'false', notNull: true },
    authorId: { type: 'uuid', columnName: 'author_id' },
    createdAt: { type: 'timestamp(3) with time zone', columnName: 'created_at', default: 'now()' },
    since: { type: 'timestamp(3) with time zone', default: `'2020-01-01'` },
    updatedAt: { type: 'timestamp(3) with time zone', columnName: 'updated_at', default: 'now()', stamp: 'on_update' },
  },
  relations: {
    author: { kind: 'belongsTo', target: 'users', column: 'author_id' },
    tags: {
      kind: 'manyToMany', target: 'tags', junction: 'posts_tags', source: 'post_id', targetColumn: 'tag_id',
      pivot: { weight: { type: 'integer', default: '1', notNull: true } },
    },
  },
  indexes: [
    {
      on: ['status', { prop: 'createdAt', direction: 'desc', nulls: 'last' }], reason: 'lists',
      where: { prop: 'published', op: '=', value: true },
    },
    { on: ['author', 'title'], unique: true, reason: 'one title an author', include: ['price'] },
    { on: ['data'], using: 'gin', reason: 'search' },
    { on: ['title'], reason: 'two conditions', where: { and: [
      { prop: 'status', op: 'in', value: ['draft', 'live'] }, { prop: 'price', op: '>=', value: 10 }, { prop: 'weight', op: 'is not null' },
    ] } },
  ],
  securityRules: [{ operation: 'select', access: 'public' }, { operations: ['insert', 'update', 'delete'], ownerField: 'author' }],
};

/** Every kind of object that a collection file can ask for. */
const blog: Record<string, Declared> = {
  users: { columns: { id: { type: 'uuid', default: 'gen_random_uuid()' }, email: { type: 'text', unique: true, notNull: true } } },
  tags: { columns: { id: { type: 'integer', identity: true }, label: { type: 'text', notNull: true } } },
  posts,
};

test('an empty database gets everything, and the second run issues no statement', async t => {
  const sql = await provisioned(t, blog);
  t.same(await plan(sql), []);
  const before = await fingerprint(sql);
  t.same(await provision(sql), []);
  t.same(await fingerprint(sql), before, 'no object was written again');

  const columns = await sql`
    select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
    a.attidentity as identity, pg_get_expr(d.adbin, d.adrelid) as value
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = 'posts'::regclass and a.attnum > 0 order by a.attnum`;
  t.same(columns.map(row => ({ ...row })).slice(0, 4), [
    { name: 'id', type: 'bigint', required: true, identity: 'd', value: null },
    { name: 'title', type: 'character varying(200)', required: true, identity: '', value: null },
    { name: 'status', type: 'posts_status', required: false, identity: '', value: `'draft'::posts_status` },
    { name: 'price', type: 'numeric(10,2)', required: false, identity: '', value: '0' },
  ]);
  const constraints = await sql<{ name: string; definition: string }[]>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid in ('users'::regclass, 'posts'::regclass, 'posts_tags'::regclass) and contype in ('p', 'u', 'f') order by 1`;
  t.same(Object.fromEntries(constraints.map(({ name, definition }) => [name, definition])), {
    posts_author_id_fkey: 'FOREIGN KEY (author_id) REFERENCES users(id) ON DELETE SET NULL',
    posts_pkey: 'PRIMARY KEY (id)',
    posts_tags_pkey: 'PRIMARY KEY (post_id, tag_id)',
    posts_tags_post_id_fkey: 'FOREIGN KEY (post_id) REFERENCES posts(id) ON DELETE CASCADE',
    posts_tags_tag_id_fkey: 'FOREIGN KEY (tag_id) REFERENCES tags(id) ON DELETE CASCADE',
    users_email_key: 'UNIQUE (email)',
    users_pkey: 'PRIMARY KEY (id)',
  });
  const indexes = await sql<{ name: string; definition: string }[]>`select indexname as name, indexdef as definition
    from pg_indexes where tablename in ('posts', 'posts_tags') order by 1`;
  t.match(indexes.map(({ name }) => name), [
    /^posts_author_id_fk_idx$/, /^posts_author_id_title_ux_[0-9a-f]{7}$/, /^posts_data_ix_/, /^posts_pkey$/, /^posts_status_created_at_ix_/,
    /^posts_tags_pkey$/, /^posts_tags_tag_id_fk_idx$/, /^posts_title_ix_/,
  ]);
  t.match(indexes.map(({ definition }) => definition).join('\n'), /\(status, created_at DESC NULLS LAST\) WHERE \(published = true\)/);
  t.match(indexes.map(({ definition }) => definition).join('\n'), /\(author_id, title\) INCLUDE \(price\)/);
  t.same((await sql`select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    and not relrowsecurity`).length, 0);
});

test('an older version grows: columns, labels, indexes, rules, relations', async t => {
  const older = Object.fromEntries(Object.entries(posts.columns).filter(([name]) => name !== 'status'));
  const sql = await provisioned(t, {
    ...blog,
    posts: { ...posts, columns: {
      ...older,
      state: { type: 'public.posts_state', default: `'b'`, enumType: { schema: 'public', name: 'posts_state', labels: ['b', 'd'] } },
    }, relations: {}, indexes: [], securityRules: [] },
  });
  await sql`insert into posts (title) values ('one'), ('two')`;
  const newer: Declared = {
    ...posts,
    columns: {
      ...posts.columns,
      state: {
        type: 'public.posts_state', default: `'a'`,
        enumType: { schema: 'public', name: 'posts_state', labels: ['a', 'b', 'c', 'd', 'e', 'f'] },
      },
      needed: { type: 'text', notNull: true },
      filled: { type: 'integer', notNull: true, default: '7' },
      code: { type: 'text', unique: true },
    },
  };
  await define(sql, { ...blog, posts: newer });
  const ran = await provision(sql);
  t.same(ran.filter(({ concurrent, kind }) => concurrent && kind === 'enum value').map(({ target }) => target),
    ['public.posts_state.a', 'public.posts_state.c', 'public.posts_state.e', 'public.posts_state.f']);
  t.ok(ran.filter(({ kind }) => kind === 'index').every(({ concurrent, target }) => concurrent === !target.includes('posts_tags')),
    'indexes of a table with rows do not block it');
  t.same((await sql`select enum_range(null::posts_state)::text as labels`)[0]?.['labels'], '{a,b,c,d,e,f}');
  t.match(await sql`select state::text, filled, needed from posts order by id`,
    [{ state: 'b', filled: 7, needed: null }, { state: 'b', filled: 7, needed: null }]);
  t.same((await sql`insert into posts (title) values ('three') returning state::text`)[0]?.['state'], 'a', 'the default has changed');
  t.match(await plan(sql),
    [{ kind: 'not null', target: 'public.posts.needed', verdict: 'withheld', statement: null, remedy: /set not null/ }]);
  const before = await fingerprint(sql);
  t.same(await provision(sql), []);
  t.same(await fingerprint(sql), before);
  await sql`update posts set needed = ''`;
  await sql`alter table posts alter column needed set not null`;
  t.same(await plan(sql), []);
});

test('a changed key cascades as the relation says; without a rule the existing action stays', async t => {
  const actions = ['cascade', 'set null', 'set default', 'restrict', 'no action'] as const;
  const following = (onUpdate?: typeof actions[number]) => ({
    columns: { id: { type: 'integer' }, user: { type: 'text', default: `'0'` } },
    relations: { user: { kind: 'belongsTo' as const, target: 'users', column: 'user', ...(onUpdate && { onUpdate }) } },
  });
  const files = {
    users: { columns: { id: { type: 'text' } } }, ...Object.fromEntries(actions.map(action => [action, following(action)])),
    said: following(),
  };
  const sql = await provisioned(t, files);
  t.same(await plan(sql), []);
  const [row] = await sql`select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'cascade_user_fkey'`;
  t.equal(row?.['text'], 'FOREIGN KEY ("user") REFERENCES users(id) ON UPDATE CASCADE ON DELETE SET NULL');
  await sql`insert into users values ('0'), ('1'), ('2'), ('3'), ('4')`;
  for (const [n, action] of ['cascade', 'set null', 'set default'].entries()) {
    await sql`insert into ${sql(action)} values (1, ${String(n + 1)})`;
    await sql`update users set id = 'new ' || id where id = ${String(n + 1)}`;
    t.same(await sql`select "user" from ${sql(action)}`, [{ user: ['new 1', null, '0'][n] }], action);
  }
  for (const action of ['restrict', 'no action', 'said']) {
    await sql`insert into ${sql(action)} values (1, '4')`;
    await t.rejects(sql`update users set id = 'new 4' where id = '4'`, { code: /^23/ }, action);
    await sql`delete from ${sql(action)}`;
  }
  await sql`alter table said drop constraint said_user_fkey, add constraint said_user_fkey foreign key ("user") references users on delete
    set null on update cascade`;
  t.same(await plan(sql), []);
  await define(sql, { ...files, said: following('restrict') });
  t.match(await plan(sql), [{
    verdict: 'report', statement: null, detail: 'On update it does something else than the collection\'s (restrict).',
    remedy: /drop constraint said_user_fkey; .* on delete set null on update restrict;$/,
  }]);
});

test('a hand-made table is completed and reported, never damaged', async t => {
  const sql = await provisioned(t, {}, `
    create table users (id uuid primary key, email text);
    create table posts (
      id bigint primary key, title text not null, legacy int not null, price integer default 5,
      weight double precision not null, author_id uuid references users on delete cascade,
      status text, created_at timestamptz(3) default clock_timestamp(), updated_at timestamptz(3), published boolean);
    insert into posts values (1, 'one', 1, 1, 1);
    create index posts_by_hand on posts (title);
    create policy by_hand on posts using (true);
    create trigger _200_by_hand before update on posts for each row execute function suppress_redundant_updates_trigger();
    create table tags (label text);`);
  const untouched = async () => JSON.stringify(await sql`select * from posts`);
  await define(sql, blog);
  await provision(sql);
  const reports = (await plan(sql)).map(({ kind, target, verdict, statement, detail }) =>
    `${verdict} ${kind} ${target}: ${detail}${statement ?? ''}`);
  const has = (pattern: RegExp) => t.ok(reports.some(line => pattern.test(line)), String(pattern));
  has(/^report primary key public.tags: It has no primary key/);
  has(/^report column public.posts.legacy: .* does not know .* NOT NULL without a default/);
  has(/^report column public.posts.price: Its type is integer, the collection's is numeric\(10,2\)/);
  has(/^report column public.posts.status: Its type is text/);
  has(/^report default public.posts.created_at: Its default is clock_timestamp\(\), the collection's is now\(\)/);
  has(/^report identity public.posts.id: /);
  has(/^withheld not null public.posts.published/);
  has(/^report not null public.posts.weight/);
  has(/^report foreign key public.posts.posts_author_id_fkey: On delete it does something else/);
  has(/^report policy public.posts.by_hand: No rule of a collection made this policy/);
  has(/^report trigger public.posts._200_by_hand: Its name sorts between/);
  t.ok(reports.every(line => /^(report|withheld) /.test(line)), 'nothing is left to do');
  t.match(await untouched(), /"legacy":1,"price":1,"weight":1/);
  t.equal((await sql`select count(*)::int as n from pg_indexes where indexname = 'posts_by_hand'`)[0]?.['n'], 1);
  t.equal((await sql`select relrowsecurity from pg_class where oid = 'posts'::regclass`)[0]?.['relrowsecurity'], true);
  const before = await fingerprint(sql);
  t.same(await provision(sql), []);
  t.same(await fingerprint(sql), before);
});

test('names that break quoting, in every place', async t => {
  const reserved = 'select';
  const quotes = `It's "a" \\ %I $1 table; drop table x; --`;
  const long = 'Ünïcödé 名前 '.repeat(3).trim().slice(0, 40);
  const declared: Record<string, Declared> = {};
  for (const table of [reserved, quotes, long, 'UPPER', 'a.b', 'ü'.repeat(31), 'x'.repeat(63)]) {
    declared[`slug ${table}`] = {
      table, schema: table === reserved ? `Some "Schema"'s` : 'public',
      columns: {
        id: { type: 'integer', identity: true },
        [`${quotes} col`]: { type: 'text', unique: true, default: `'it''s'` },
        order: { type: 'text' },
        choice: {
          type: `${table === reserved ? `"Some ""Schema""'s"` : 'public'}."${`E ${table.slice(0, 20)}`.replaceAll('"', '""')}"`,
          enumType: {
            schema: table === reserved ? `Some "Schema"'s` : 'public', name: `E ${table.slice(0, 20)}`, labels: [`it's`, '"', '', long],
          },
        },
        up: { type: 'integer', columnName: 'Up "to"' },
        ['y'.repeat(60)]: { type: 'timestamp(3) with time zone', stamp: 'on_update', unique: true },
        [`${'y'.repeat(60)}z`]: { type: 'timestamp(3) with time zone', stamp: 'on_update', unique: true },
      },
      relations: {
        up: { kind: 'belongsTo', target: `slug ${table}`, column: 'Up "to"' },
        many: {
          kind: 'manyToMany', target: `slug ${table}`, junction: `${table.slice(0, 25)} "links"`, source: `the 'source'`,
          targetColumn: 'TARGET', pivot: { [`"p'`]: { type: 'integer', default: '1' } },
        },
      },
      indexes: [{
        on: ['up', { prop: 'order', direction: 'desc' }], reason: 'x',
        where: { and: [{ prop: 'order', op: '!=', value: `'"\\` }, { prop: 'up', op: 'in', value: [1, 2] }] },
      }],
      securityRules: [
        { name: `Policy "of" ${quotes}`.slice(0, 50), ownerField: `${quotes} col` }, { using: `{order} = '{order}''' and {up} is null` },
      ],
      callbacks: { beforeSave: `"My ""Schema""'s"."Fn 'x'"`, afterDelete: 'public.gone' },
    };
  }
  const sql = await provisioned(t, {}, `create schema "My ""Schema""'s"; create function "My ""Schema""'s"."Fn 'x'"(op text,
    old jsonb, new jsonb) returns jsonb language sql return '{"order": "set"}'::jsonb;
    create function gone(old jsonb) returns void language sql as ''`);
  await define(sql, declared);
  await provision(sql);
  t.same(await plan(sql), []);
  const before = await fingerprint(sql);
  t.same(await provision(sql), []);
  t.same(await fingerprint(sql), before);
  for (const { table = '', schema = '' } of Object.values(declared)) {
    const name = sql(`${schema}.${table}`.startsWith('public.a.b') ? 'a.b' : table);
    if (schema === 'public' && table !== 'a.b') {
      t.match(await sql`insert into ${name} (id) values (1) returning "order"`, [{ order: 'set' }]);
    }
  }
});

test('ten gateways at once: the statements run once', async t => {
  const sql = await provisioned(t);
  await define(sql, blog);
  const all = await Promise.all(Array.from({ length: 10 }, () => provision(sql)));
  t.same(all.map(ran => ran.length).sort((a, b) => a - b).slice(0, 9), Array(9).fill(0));
  t.same(await plan(sql), []);
});

test('stored rows may withhold a constraint, and nothing else', async t => {
  const one = (columns: Declared['columns'], relations: Declared['relations'] = {}): Record<string, Declared> =>
    ({ things: { columns: { id: { type: 'integer' }, ...columns }, relations }, other: { columns: { id: { type: 'integer' } } } });
  const sql = await provisioned(t, one({ up: { type: 'integer' }, odd: { type: 'text' }, code: { type: 'text' } }));
  await sql`insert into things values (1, 77, 'x', 'same'), (2, null, 'y', 'same')`;
  await define(sql, one({ up: { type: 'integer' }, odd: { type: 'text' }, code: { type: 'text' }, more: { type: 'text' } },
    { up: { kind: 'belongsTo', target: 'other', column: 'up' }, odd: { kind: 'belongsTo', target: 'other', column: 'odd' } }));
  const ran = await sql`select kind, target, verdict, detail, remedy from service.provision()`;
  t.match(ran.filter(({ verdict }) => verdict === 'withheld'), [
    { target: 'public.things.things_odd_fkey', detail: /cannot be implemented/, remedy: /^alter table/ },
    { target: 'public.things.things_up_fkey', detail: /violates foreign key constraint/ },
  ]);
  t.ok(ran.some(({ target }) => target === 'public.things.more'));
});

test('an index that could not be built is removed before the next attempt', async t => {
  const declared = (unique: boolean): Record<string, Declared> =>
    ({ things: { columns: { id: { type: 'integer' }, code: { type: 'text', unique } } } });
  const sql = await provisioned(t, declared(false));
  await sql`insert into things values (1, 'same'), (2, 'same')`;
  await define(sql, declared(true));
  await t.rejects(provision(sql), { code: '23505' });
  t.match(await plan(sql), [{ statement: 'drop index concurrently public.things_code_key', concurrent: true }]);
  await sql`update things set code = id::text`;
  t.match((await provision(sql)).map(({ statement }) => statement),
    ['drop index concurrently public.things_code_key', /^create unique index concurrently if not exists things_code_key on public.things/]);
  t.same(await plan(sql), []);
});

test('vectors, where the server has them', async t => {
  const sql = await provisioned(t);
  const [available] = await sql`select from pg_available_extensions where name = 'vector'`;
  const index = { method: 'hnsw', distance: ['cosine', 'l2'], m: 8 } as const;
  await define(sql, {
    things: {
      columns: {
        id: { type: 'integer' }, embedding: { type: 'vector(3)', index: { ...index, distance: [...index.distance] } },
        big: { type: 'vector(2001)', index: { method: 'hnsw', distance: ['cosine'] } },
        lists: { type: 'public.vector(3)', index: { method: 'ivfflat', distance: ['inner_product'], lists: 10 } },
      },
    },
  });
  await provision(sql);
  if (available) {
    t.same(await plan(sql), []);
    const indexes = await sql<{ definition: string }[]>`select indexdef as definition from pg_indexes
      where tablename = 'things' and indexname like '%ix%' order by 1`;
    t.match(indexes.map(({ definition }) => definition), [
      /hnsw \(embedding vector_cosine_ops\) WITH \(m='8'\)/, /hnsw \(embedding vector_l2_ops\)/,
      /ivfflat \(lists vector_ip_ops\) WITH \(lists='10'\)/,
    ]);
  } else {
    t.match(await plan(sql), [{ kind: 'extension', target: 'vector', verdict: 'withheld', statement: null, remedy: /pgvector/ }]);
    t.same((await sql`select attname from pg_attribute where attrelid = 'things'::regclass and attnum > 0`).map(row =>
      row['attname'] as string), ['id']);
  }
});

test('a view of a read-only collection is left alone, and told when it would pass by row security', async t => {
  const sql = await provisioned(t, {}, 'create table base (id int primary key); create view safe with (security_invoker = on) as select * '
    + 'from base; create view unsafe as select * from base; create view writable as select * from base');
  const view = { columns: { id: { type: 'integer' } }, readOnly: true };
  await define(sql, { safe: view, unsafe: view, writable: { ...view, readOnly: false } });
  t.same((await provision(sql)).map(({ statement }) => statement), [
    'grant select on public.safe to service_user', 'grant select on public.unsafe to service_user',
    'grant select, insert, update, delete on public.writable to service_user',
  ]);
  t.match(await plan(sql), [
    { target: 'public.unsafe', verdict: 'report', remedy: /security_invoker/ },
    { target: 'public.writable', verdict: 'report', detail: /readOnly/ },
  ]);
});

test('a read-only collection without its view is reported, and gets no table', async t => {
  const later = { columns: {
    id: { type: 'integer' }, state: { type: 'public.later_state', enumType: { schema: 'public', name: 'later_state', labels: ['a'] } },
  }, readOnly: true, securityRules: [{ access: 'public' }] };
  const sql = await provisioned(t, { later, base: {
    columns: { id: { type: 'integer' }, laterId: { type: 'integer', columnName: 'later_id' } },
    relations: { later: { kind: 'belongsTo', target: 'later', column: 'later_id' } },
  } });
  t.same(await sql`select to_regclass('later') as later, to_regtype('later_state') as state`, [{ later: null, state: null }]);
  t.match(await plan(sql), [{
    target: 'public.later', verdict: 'report', statement: null, detail: /not there/,
    remedy: /^create view public.later with \(security_invoker = on\)/,
  }]);
  await sql`create view later with (security_invoker = on) as select id from base`;
  t.same((await provision(sql)).map(({ statement }) => statement), ['grant select on public.later to service_user']);
  t.same(await plan(sql), []);
});

test('pgvector in a schema of its own', async t => {
  const sql = await provisioned(t);
  if ((await sql`select from pg_available_extensions where name = 'vector'`).length === 0) return t.comment('this server has no pgvector');
  await sql.unsafe('create schema "My Types"; create extension vector schema "My Types"').simple();
  await define(sql,
    { things: { columns: { id: { type: 'integer' }, near: { type: 'vector(3)', index: { method: 'hnsw', distance: ['cosine'] } } } } });
  await provision(sql);
  t.same(await plan(sql), []);
  t.same(await sql`select format_type(atttypid, atttypmod) as type
    from pg_attribute where attrelid = 'things'::regclass and attname = 'near'`, [{ type: '"My Types".vector(3)' }]);
});
