import { type IndexComparison, type IndexDefinition, type Report } from './definition.ts';
import { without } from './json-file.ts';
import { columnOfProperty, type Model } from './model.ts';

/** A null is one that is wrong in itself. */
export type GivenIndexes = (IndexDefinition | null)[];

/** The indexes of a collection as they are declared, those without a fault. */
export function checkedIndexes(given: GivenIndexes, model: Model, report: Report): IndexDefinition[] {
  const seen = new Map<string, string>();
  return given.flatMap((index, i) => {
    if (index === null) return [];
    const path = `${model.path}.indexes[${i}]`;
    const column = (property: string, at: string): string => {
      const found = columnOfProperty(model, property);
      if (found === undefined && !model.broken.has(property)) report(at, `${model.slug} has no property ${property} with a column`);
      return found ?? property;
    };
    const columns = index.on.map((item, n) => column(typeof item === 'string' ? item : item.prop, `${path}.on[${n}]`));
    for (const [n, property] of (index.include ?? []).entries()) column(property, `${path}.include[${n}]`);
    for (const [at, comparison] of comparisons(index, path)) {
      column(comparison.prop, `${at}.prop`);
      checkComparison(comparison, at, report);
    }
    checkIndex(index, { model, path, columns }, report);
    const meaning = JSON.stringify(without(index, 'reason'));
    const twin = seen.get(meaning);
    if (twin !== undefined) report(path, `is the same as ${twin}`);
    seen.set(meaning, path);
    return [index];
  });
}

type Place = { model: Model; path: string; columns: string[] };

function checkIndex(index: IndexDefinition, { model, path, columns }: Place, report: Report): void {
  const { on, using = 'btree', unique = false, include = [], where } = index;
  const isOrdered = on.some(item => typeof item === 'object' && (item.direction ?? item.nulls) !== undefined);
  const [first] = columns;
  if (using !== 'btree' && (isOrdered || unique || include.length > 0)) {
    report(`${path}.using`, `${using} knows no direction, nulls, unique or include`);
  }
  if (new Set(columns).size < columns.length) report(`${path}.on`, 'names a column twice');
  if (columns.length > 1 || where !== undefined) return;
  if (unique) report(path, 'a single unique property says validation.unique');
  const key = [...model.properties.values()].find(({ attributes }) => attributes.isId !== undefined);
  if (using === 'btree' && first === key?.column_name) report(path, 'the primary key has its index');
}

function comparisons({ where }: IndexDefinition, path: string): [string, IndexComparison][] {
  if (where === undefined) return [];
  return 'and' in where ? where.and.map((comparison, i) => [`${path}.where.and[${i}]`, comparison]) : [[`${path}.where`, where]];
}

function checkComparison({ op, value }: IndexComparison, path: string, report: Report): void {
  if (op.startsWith('is ')) return;
  const values = op === 'in' ? value : [value];
  const isScalar = (item: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof item);
  if (!Array.isArray(values) || values.length === 0) report(`${path}.value`, 'must be a list of values');
  else if (!values.every(isScalar)) report(`${path}.value`, 'must be a text, a number or a boolean');
}
