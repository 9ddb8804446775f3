import { type RelationRow, type ViaStep } from '../catalog/rows.ts';
import { type JoinStep, type Report } from './definition.ts';
import { columnNamed, rowOfColumn, type Declared } from './links.ts';
import { type Model } from './model.ts';

type Pair = { from: string[]; to: string[] };

/**
 * A relation over a chain of joins, from table to table. Every table on the way is that of a collection or a junction, so that row
 * security decides what is passed through.
 * @param relations those that have a junction
 */
export function viaRelation(
  { model, name, path, relation, target }: Declared, models: ReadonlyMap<string, Model>, relations: RelationRow[], report: Report,
): RelationRow[] {
  const { joinPath = [], cardinality = 'many' } = relation;
  const problems: [string, string][] = [];
  const steps = joinPath.map((step, i): ViaStep & Pair => {
    const at = `${path}.joinPath[${i}]`;
    const table = tableOf(step.table, models, relations);
    if (table === undefined) problems.push([`${at}.table`, `${step.table} is the table of no collection, and no junction`]);
    const before = i === 0 ? { model, ...placeOf(model) } : tableOf(joinPath[i - 1]?.table ?? '', models, relations);
    const [from, to] = [columns(step.on.from, before), columns(step.on.to, table)];
    if (from.length !== to.length) problems.push([`${at}.on`, 'from and to have different numbers of columns']);
    for (const [key, side, found] of [['from', before, from], ['to', table, to]] as const) {
      for (const column of found) {
        if (side !== undefined && !hasColumn(side, column)) problems.push([`${at}.on.${key}`, `${side.table} has no column ${column}`]);
      }
    }
    return { schema: table?.schema ?? '', table: table?.table ?? step.table, from, to };
  });
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) problems.push([path, 'needs a joinPath']);
  else if (problems.length === 0 && (last.schema !== target.schema || last.table !== target.table)) {
    problems.push([`${path}.joinPath`, `ends in ${last.table}, not in ${target.table}, the table of ${target.slug}`]);
  }
  for (const [at, problem] of problems) report(at, problem);
  if (problems.length > 0 || first === undefined || last === undefined) return [];
  const isDirect = steps.length === 1;
  const numbered = (prefix: string, names: string[]) => names.map((_, i) => `${prefix}${i + 1}`);
  return [{
    collection: model.slug, name, kind: 'via', target: target.slug,
    local_columns: first.from, target_columns: last.to,
    junction_schema: isDirect ? null : first.schema, junction_table: isDirect ? null : first.table,
    junction_source: isDirect ? null : numbered('source', first.to), junction_target: isDirect ? null : numbered('target', last.from),
    pivot: null, on_delete: null, on_update: null, via: { cardinality, steps },
  }];
}

type Table = { schema: string; table: string; model?: Model; columns?: string[] };

function placeOf({ schema, table }: Model): Table {
  return { schema, table };
}

/** By its name, with or without its schema. */
function tableOf(named: string, models: ReadonlyMap<string, Model>, relations: RelationRow[]): Table | undefined {
  const isNamed = ({ schema, table }: Table): boolean => named === table || named === `${schema}.${table}`;
  const ofModels = [...models.values()].map((model): Table => ({ ...placeOf(model), model }));
  return [...ofModels, ...relations.flatMap(junctionOf)].find(isNamed);
}

function junctionOf(relation: RelationRow): Table[] {
  const { junction_schema: schema, junction_table: table, junction_source: source, junction_target: target, pivot } = relation;
  if (schema === null || table === null) return [];
  return [{ schema, table, columns: [...source ?? [], ...target ?? [], ...pivot?.map(({ columnName }) => columnName) ?? []] }];
}

/** `posts.author_id`, `author_id`, or the name of its property. */
function columns(names: JoinStep['on']['from'], table: Table | undefined): string[] {
  return [names].flat().map(name => {
    const column = name.slice(name.lastIndexOf('.') + 1);
    return table?.model === undefined ? column : columnNamed(table.model, column);
  });
}

function hasColumn({ model, columns: own }: Table, column: string): boolean {
  return model === undefined ? own?.includes(column) === true : rowOfColumn(model, column) !== undefined;
}
