// Collection files that grow at random, provisioned step by step: what comes of it is what one provisioning of the last version makes.
import fc from 'fast-check';
import type postgres from 'postgres';
import { test } from 'tap';
import { random } from '../harness/effort.ts';
import { createDatabase } from '../harness/database.ts';
import { plan, provision } from './declared.ts';
import { projectOf } from './loaded.ts';

type Definition = { properties: Record<string, object>; securityRules: object[]; indexes: object[]; search?: object; softDelete?: object };
type Files = Record<string, Definition>;
type Change = { of: number; add: keyof typeof ADDITIONS; n: number };

const SLUGS = ['authors', 'posts', 'tags'];
const TYPES = [
  { type: 'string' }, { type: 'string', columnType: 'varchar', validation: { max: 20 } }, { type: 'string', enum: ['a', 'b'] },
  { type: 'number' }, { type: 'number', columnType: 'integer', validation: { min: 0 } },
  { type: 'number', precision: 8, scale: 2, defaultValue: 1.5 }, { type: 'boolean', defaultValue: false }, { type: 'date' },
  { type: 'date', autoValue: 'on_update' }, { type: 'array', of: { type: 'string' } },
  { type: 'map', properties: { a: { type: 'string', defaultValue: 'x' } } }, { type: 'geopoint' }, { type: 'binary' },
  { type: 'string', validation: { unique: true } }, { type: 'string', validation: { required: true }, defaultValue: 'it\'s' },
];
const RULES = [
  { access: 'public' }, { operation: 'select', roles: ['staff'] }, { operations: ['insert', 'update'], using: 'true' },
  { mode: 'restrictive', using: `service.uid() <> 'x'` }, { condition: { kind: 'registered' } },
  { name: 'mine', operation: 'delete', using: 'false' },
];

/** The effect of each addition on the files. None removes anything but rules, whose policies are removed with them. */
const ADDITIONS = {
  collection: (files: Files, slug: string) => {
    files[slug] ??= { properties: { id: { type: 'number', isId: 'increment' } }, securityRules: [], indexes: [] };
  },
  property: (files: Files, slug: string, n: number) => { touch(files, slug).properties[`p${n}`] ??= TYPES[n % TYPES.length] ?? {}; },
  label: (files: Files, slug: string, n: number) => {
    const name = Object.keys(touch(files, slug).properties).find(key => 'enum' in (files[slug]?.properties[key] ?? {}));
    const property = name === undefined ? undefined : touch(files, slug).properties[name] as { enum: string[] };
    if (name !== undefined && property !== undefined) {
      touch(files, slug).properties[name] = { ...property, enum: [...new Set([...property.enum, `l${n}`])] };
    }
  },
  belongsTo: (files: Files, slug: string, n: number) => { relate(files, slug, n, 'belongsTo'); },
  hasMany: (files: Files, slug: string, n: number) => { relate(files, slug, n, 'hasMany'); },
  manyToMany: (files: Files, slug: string, n: number) => { relate(files, slug, n, 'manyToMany'); },
  index: (files: Files, slug: string, n: number) => {
    const definition = touch(files, slug);
    definition.properties[`i${n % 3}`] ??= { type: 'number' };
    const index = { on: [`i${n % 3}`, 'id'], reason: 'Because.' };
    if (!definition.indexes.some(other => JSON.stringify(other) === JSON.stringify(index))) definition.indexes.push(index);
  },
  rules: (files: Files, slug: string, n: number) => { touch(files, slug).securityRules = RULES.filter((_, i) => (n >> i) % 2 === 1); },
  softDelete: (files: Files, slug: string) => {
    Object.assign(touch(files, slug), { softDelete: { field: 'gone' } }).properties['gone'] ??= { type: 'date' };
  },
};

function touch(files: Files, slug: string): Definition {
  ADDITIONS.collection(files, slug);
  return files[slug] as Definition;
}

function relate(files: Files, slug: string, n: number, kind: string): void {
  const target = SLUGS[n % SLUGS.length] ?? '';
  touch(files, target);
  if (kind === 'manyToMany' && target === slug) return;
  touch(files, slug).properties[`${kind}_${target}`] ??= {
    type: 'relation', relation: { kind, target, ...(kind === 'hasMany' && { foreignKeyOnTarget: `${slug}_ref` }) },
  };
}

const change: fc.Arbitrary<Change> = fc.record({
  of: fc.nat(2), add: fc.constantFrom(...Object.keys(ADDITIONS) as (keyof typeof ADDITIONS)[]), n: fc.nat(63),
});

test('step by step is as at once, a second start has nothing to do, and no row is lost', async t => {
  await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 12 }), async changes => {
    const ends: (() => unknown)[] = [];
    const scope = { teardown: (end: () => unknown) => { ends.push(end); } } as Parameters<typeof createDatabase>[0];
    const [grown, fresh] = [await createDatabase(scope, { template: 'served' }), await createDatabase(scope, { template: 'served' })];
    try {
      const files: Files = {};
      const rows = new Map<string, number>();
      for (const { of, add, n } of changes) {
        ADDITIONS[add](files, SLUGS[of] ?? '', n);
        await bring(grown.sql, projectOf(t, files));
        for (const [slug, count] of rows) {
          t.same(await grown.sql`select count(*)::int as n from ${grown.sql(slug)}`, [{ n: count }], `${slug} after ${add}`);
        }
        for (const slug of Object.keys(files)) {
          await grown.sql`insert into ${grown.sql(slug)} default values`;
          rows.set(slug, (rows.get(slug) ?? 0) + 1);
        }
      }
      t.same((await plan(grown.sql)).filter(({ statement }) => statement !== null), [], 'a second start has nothing to do');
      t.equal((await grown.sql`select service_private.define_collections(${projectOf(t, files)}::text::jsonb) as changed`)[0]?.['changed'],
        false);
      await bring(fresh.sql, projectOf(t, files));
      t.same(await described(grown.sql), await described(fresh.sql), JSON.stringify(changes));
    } finally {
      for (const end of ends) await end();
    }
  }), random(20));
});

async function bring(sql: postgres.Sql, project: string): Promise<void> {
  await sql`select service_private.define_collections(${project}::text::jsonb)`;
  await provision(sql);
}

/** Everything of the tables but the order of their columns, and how a unique key came to be. */
async function described(sql: postgres.Sql): Promise<string[]> {
  const lines = await sql<{ line: string }[]>`
    select format('%s.%s %s %s %s', a.attrelid::regclass, a.attname, format_type(a.atttypid, a.atttypmod),
      a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) as line
      from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0
    union all select regexp_replace(indexdef, ' CONCURRENTLY', '') from pg_indexes where schemaname = 'public'
    union all select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace = 'public'::regnamespace and contype in ('f', 'p')
    union all select format('%s %s %s %s %s %s %s', tablename, policyname, permissive, roles, cmd, qual, with_check)
    from pg_policies where schemaname = 'public'
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal and tgrelid::regclass::text !~ '^service'
    union all select format('%s %s', t.typname, string_agg(e.enumlabel, ',' order by e.enumsortorder))
    from pg_type t join pg_enum e on e.enumtypid = t.oid group by t.typname
    order by 1`;
  return lines.map(({ line }) => line);
}
