import type postgres from 'postgres';
import type { Test } from 'tap';
import type { CollectionRow, Column, PivotProperty, PropertyRow, RelationRow } from '../../gateway/catalog/rows.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates

/** A column as short as a test can say it; the rest is what a collection file would give. */
export type DeclaredColumn = Partial<Column> & { type: string; notNull?: boolean; columnName?: string };
export type DeclaredRelation =
  | {
    kind: 'belongsTo'; target: string; column: string; targetColumn?: string; onDelete?: RelationRow['on_delete'];
    onUpdate?: RelationRow['on_update'];
  }
  | {
    kind: 'manyToMany'; target: string; junction: string; source: string; targetColumn: string; pivot?: Record<string, DeclaredColumn>;
    onDelete?: RelationRow['on_delete']; onUpdate?: RelationRow['on_update'];
  };
export type Declared = {
  table?: string;
  schema?: string;
  key?: string;
  readOnly?: boolean;
  columns: Record<string, DeclaredColumn>;
  relations?: Record<string, DeclaredRelation>;
  callbacks?: Record<string, string>;
  securityRules?: object[];
  indexes?: object[];
  disableDefaultPolicies?: boolean;
  softDelete?: boolean | { field: string };
};

export type Step = {
  step: number; kind: string; target: string; statement: string | null; concurrent: boolean; verdict: 'safe' | 'withheld' | 'report';
  detail: string | null; remedy: string | null;
};

/** A database with the service's schema and nothing served. */
export async function provisioned(
  t: Pick<Test, 'teardown'>, collections: Record<string, Declared> = {}, setup = '',
): Promise<postgres.Sql> {
  const { sql } = await createDatabase(t, { template: 'served' });
  if (setup !== '') await sql.unsafe(setup).simple();
  await define(sql, collections);
  await provision(sql);
  return sql;
}

/** The rows that collection files of this content would become. */
export async function define(sql: postgres.Sql, collections: Record<string, Declared>): Promise<void> {
  const entries = Object.entries(collections);
  const catalog = {
    collections: entries.map(([slug, declared]) => collectionRow(slug, declared)),
    properties: entries.flatMap(([slug, { columns }]) =>
      Object.entries(columns).map(([name, column], n) => propertyRow(slug, name, column, n + 1))),
    relations: entries.flatMap(([slug, { relations = {} }]) =>
      Object.entries(relations).map(([name, relation]) => relationRow(slug, name, relation))),
  };
  await sql.begin(async transaction => {
    await transaction`delete from service.collections`;
    for (const [table, rows] of Object.entries(catalog)) {
      const name = transaction(`service.${table}`);
      await transaction`insert into ${name} select * from jsonb_populate_recordset(null::${name}, ${JSON.stringify(rows)}::text::jsonb)`;
    }
    await transaction`
      select service.fail(400, 'SCHEMA_CHANGE_FAILED', string_agg(format('%s: %s', p.path, p.problem), E'\n' order by p.path),
        jsonb_build_object('problems', jsonb_agg(p order by p.path)))
      from service_private.expression_problems() p having count(*) > 0`;
  });
}

/** As the gateway does at boot: statements that have to run by themselves do, the others run in between. */
export async function provision(sql: postgres.Sql): Promise<Step[]> {
  const ran: Step[] = [];
  for (;;) {
    const steps = (await sql<Step[]>`select * from service.provision()`).filter((step): step is Step & { statement: string } =>
      step.statement !== null);
    ran.push(...steps.filter(({ concurrent }) => !concurrent));
    const alone = steps.filter(({ concurrent }) => concurrent);
    if (alone.length === 0) return ran;
    for (const step of alone) {
      if (ran.some(({ statement }) => statement === step.statement)) throw new Error(`It does not settle: ${step.statement}`);
      await sql.unsafe(step.statement);
      ran.push(step);
    }
  }
}

export async function plan(sql: postgres.Sql): Promise<Step[]> {
  return await sql<Step[]>`select * from service.provision_plan()`;
}

/** Everything in the database that is not a row of a table: every object with the transaction that wrote it last. */
export async function fingerprint(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select 'class ' || oid::text || ' ' || xmin::text as line
    from pg_class where relnamespace not in ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
    union all select 'attribute ' || attrelid::text || ' ' || attnum || ' ' || xmin::text from pg_attribute
    union all select 'type ' || oid::text || ' ' || xmin::text from pg_type
    union all select 'enum ' || oid::text || ' ' || xmin::text from pg_enum
    union all select 'constraint ' || oid::text || ' ' || xmin::text from pg_constraint
    union all select 'index ' || indexrelid::text || ' ' || xmin::text from pg_index
    union all select 'trigger ' || oid::text || ' ' || xmin::text from pg_trigger
    union all select 'policy ' || oid::text || ' ' || xmin::text from pg_policy
    union all select 'function ' || oid::text || ' ' || xmin::text from pg_proc
    union all select 'default ' || oid::text || ' ' || xmin::text from pg_attrdef
    union all select 'schema ' || oid::text || ' ' || xmin::text from pg_namespace
    union all select 'comment ' || objoid::text || ' ' || xmin::text from pg_description
    order by 1`;
  return rows.map(({ line }) => line);
}

function collectionRow(slug: string, declared: Declared): CollectionRow {
  const {
    table = slug, schema = 'public', key = 'id', readOnly = false, callbacks = {}, securityRules, indexes, disableDefaultPolicies,
    softDelete,
  } = declared;
  return {
    slug, source: 'file', name: slug, singular_name: slug, description: null, schema_name: schema, table_name: table, key: [key],
    exposed: true, read_only: readOnly, strict_writes: true, callbacks,
    definition: {
      slug, ...(securityRules && { securityRules }), ...(indexes && { indexes }), ...(disableDefaultPolicies && { disableDefaultPolicies }),
      ...(softDelete && { softDelete }),
    },
  };
}

function column(
  { type, default: value = null, identity = false, unique = false, stamp = null, enumType = null, index = null }: DeclaredColumn,
): Column {
  return { type, default: value, identity, unique, stamp, enumType, index };
}

function propertyRow(collection: string, name: string, declared: DeclaredColumn, position: number): PropertyRow {
  const { type, notNull = name === 'id', columnName = name } = declared;
  return {
    collection, name, column_name: columnName, position, type: 'string', sql_type: type.replace(/\(.*\)/, ''), not_null: notNull,
    required: notNull && name !== 'id', generated: false, excluded: false, read_roles: null, write_roles: null,
    attributes: { column: column(declared) },
  };
}

function relationRow(collection: string, name: string, declared: DeclaredRelation): RelationRow {
  const direct = {
    collection, name, kind: declared.kind, target: declared.target, junction_schema: null, junction_table: null, junction_source: null,
    junction_target: null, pivot: null, on_delete: declared.onDelete ?? null, on_update: declared.onUpdate ?? null, via: null,
  };
  if (declared.kind === 'belongsTo') {
    return { ...direct, local_columns: [declared.column], target_columns: [declared.targetColumn ?? 'id'] };
  }
  return {
    ...direct, local_columns: ['id'], target_columns: ['id'],
    junction_schema: 'public', junction_table: declared.junction, junction_source: [declared.source],
    junction_target: [declared.targetColumn],
    pivot: declared.pivot ? Object.entries(declared.pivot).map(([columnName, spec], n) => pivotProperty(columnName, spec, n + 1)) : null,
  };
}

function pivotProperty(columnName: string, spec: DeclaredColumn, position: number): PivotProperty {
  const { type, notNull = false } = spec;
  return {
    name: columnName, columnName, position, type: 'string', sqlType: type, notNull, required: notNull, attributes: { column: column(spec) },
  };
}
