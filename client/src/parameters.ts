/** Query objects as the parameters of an address. */
import { refuse } from './error.ts';
import { writeJson } from './json.ts';

type Json = Record<string, unknown>;

/** Parameters that are not the text of their value. */
const WRITERS: Record<string, (value: never, name: string) => string> = {
  where: (where: Json) => writeJson(whereOf(where)),
  include: (include: Json) => writeJson(includeOf(include)),
  fields: names, select: names, groupBy: names, on_conflict: names, or: group, and: group, not: group,
  orderBy: writeJson, vector: writeJson,
};

/** One that is undefined would let every row through. */
const FILTER = /^(where|or|and|not|searchString)$/;

/** @throws RowgateError INVALID_INPUT for what would be sent as something else than it says, or not at all. */
export function parametersOf(query: Json): Record<string, string> {
  const textOf = (value: unknown, name: string): string | undefined =>
    name === 'count' || (value === undefined && !FILTER.test(name)) ? undefined // a count is said in a header
      : addressable((WRITERS[name] ?? String)((value ?? refuse(`"${name}" cannot be sent.`)) as never, name));
  return mapped(query, textOf) as Record<string, string>;
}

/** Half of a surrogate pair has no UTF-8. */
export function addressable(text: string, wrong = /\p{Cs}/u): string {
  return wrong.test(text) ? refuse(`"${text}" cannot be sent.`) : text;
}

/** The members of an object with other values, without those that are undefined. */
export function mapped(object: Json, change: (value: unknown, name: string) => unknown): Json {
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => [name, change(value, name)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The service trims names, those in the parentheses of an aggregate too. */
function names(list: readonly string[]): string {
  return list.map(name => addressable(name, /,|^$|^\s|\(\s|\s\)?$/)).join();
}

/** Without a condition `or` would let every row through, and not none. */
function group(conditions: unknown[], name: string): string {
  return conditions.length > 0 ? writeJson(conditions) : refuse(`"${name}" is empty.`);
}

/** Each condition with its operator: a text alone may look like one. */
function whereOf(where: Json): Json {
  return mapped(where, (value, field) => {
    if (value === null) return null;
    const tests: unknown[] = Array.isArray(value) ? Array.isArray(value[0]) ? value : [value] : [['==', value]];
    return tests.every(isTest) ? tests : refuse(`The condition on "${field}" is no operator and value.`);
  });
}

function isTest(test: unknown): boolean {
  const [operator, operand] = Array.isArray(test) && test.length === 2 ? test as unknown[] : [];
  const isPlain = typeof operand !== 'object' || operand === null || Array.isArray(operand) || operand instanceof Date;
  return typeof operator === 'string' && operand !== undefined && isPlain;
}

function includeOf(include: Json): Json {
  return mapped(include, node => {
    if (typeof node !== 'object' || !node) return node;
    const { where, include: further } = node as { where?: Json; include?: Json };
    return { ...node, ...where && { where: whereOf(where) }, ...further && { include: includeOf(further) } };
  });
}
