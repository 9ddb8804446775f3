/** Query objects as the parameters of an address. */
import { refuse } from './error.ts';
import { writeJson } from './json.ts';

type Json = Record<string, unknown>;

/** Said in a header. */
const IN_HEADER = 'count';

const LISTS = ['fields', 'select', 'groupBy', 'on_conflict'];
const GROUPS = ['or', 'and', 'not'];
const JSONS = ['orderBy', 'vector'];

/** @throws RowgateError INVALID_INPUT for what would be sent as something else than it says, or not at all. */
export function parametersOf(query: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(query).filter(([name, value]) => name !== IN_HEADER && value !== undefined)
    .map(([name, value]) => [name, textOf(name, value)]));
}

function textOf(name: string, value: unknown): string {
  if (name === 'where') return writeJson(whereOf(value as Json));
  if (name === 'include') return writeJson(includeOf(value as Json));
  if (LISTS.includes(name)) return (value as string[]).map(listed).join();
  // Without a condition `or` would let every row through, and not none.
  if (GROUPS.includes(name)) return (value as unknown[]).length > 0 ? writeJson(value) : refuse(`"${name}" has no conditions.`);
  return JSONS.includes(name) ? writeJson(value) : String(value);
}

function listed(name: string): string {
  return /,|^\s|\s$|^$/.test(name) ? refuse(`"${name}" cannot stand in a list of names.`) : name;
}

/** Each condition with its operator: a text alone may look like one. */
function whereOf(where: Json): Json {
  return Object.fromEntries(Object.entries(where).map(([field, value]) => [field, conditionsOf(field, value)]));
}

function conditionsOf(field: string, value: unknown): unknown {
  if (value === null) return null;
  if (!Array.isArray(value)) return [test(field, ['==', value])];
  return Array.isArray(value[0]) ? value.map(one => test(field, one)) : [test(field, value)];
}

function test(field: string, condition: unknown): unknown {
  const [operator, operand] = Array.isArray(condition) && condition.length === 2 ? condition as [unknown, unknown] : [];
  const isPlain = typeof operand !== 'object' || operand === null || Array.isArray(operand) || operand instanceof Date;
  const isWhole = typeof operator === 'string' && operand !== undefined && isPlain;
  return isWhole ? [operator, operand] : refuse(`The condition on "${field}" is no operator and its value.`);
}

function includeOf(include: Json): Json {
  return Object.fromEntries(Object.entries(include).map(([name, node]) => {
    if (typeof node !== 'object' || node === null) return [name, node];
    const { where, include: further, ...rest } = node as { where?: Json; include?: Json };
    return [name, { ...rest, ...where && { where: whereOf(where) }, ...further && { include: includeOf(further) } }];
  }));
}
