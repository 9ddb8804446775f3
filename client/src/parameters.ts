/** Query objects as the parameters of an address. */
import { refuse } from './error.ts';
import { writeJson } from './json.ts';

type Json = Record<string, unknown>;
type Sent = Record<string, string | number | boolean | object>;

/** Members that are not sent as they are given. */
const CHANGES: Record<string, (value: never, name: string) => unknown> = {
  where: whereOf, include: includeOf, fields: filled, on_conflict: filled, or: filled, and: filled, not: filled,
  logical: (group: { conditions: unknown[] }, name) => filled(group.conditions, name, group),
};

/** @throws RowgateError INVALID_INPUT for what would be sent as something else than it says, or not at all. */
export function parametersOf(query: Json): Record<string, string> {
  // The service would heed the first of them alone.
  if (/\b(or|and|not)\b.+\b(or|and|not)\b/.test(Object.keys(query).join())) refuse('Only one of or, and, not can be sent.');
  return mapped(membersOf(query), (value, name) => name === 'count' ? undefined // it is said in a header
    : addressable(/^(fields|select|groupBy|on_conflict)$/.test(name) ? names(value as string[])
      : typeof value === 'object' ? writeJson(value) : String(value)),
  ) as Record<string, string>;
}

/** Members that are undefined are left out, but for a filter: every row would be let through. The type of an include has its rows. */
function membersOf(query: Json): Sent {
  return mapped(query, (value, name) =>
    value === undefined && !/^(where|or|and|not|logical|searchString|include|on_conflict)$/.test(name) ? value
      : (CHANGES[name] ?? (same => same))((value ?? refuse(`"${name}" cannot be sent.`)) as never, name)) as Sent;
}

/** Half of a surrogate pair has no UTF-8. */
export function addressable(text: string, wrong = /\p{Cs}/u): string {
  return wrong.test(text) ? refuse(`"${text}" cannot be sent.`) : text;
}

/** The members of an object with other values, without those that are undefined. */
export function mapped<V>(object: Readonly<Record<string, V>>, change: (value: V, name: string) => unknown): Json {
  const entries = Object.entries(object).map(([name, value]): [string, unknown] => [name, change(value, name)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The service trims names, those in the parentheses of an aggregate too. */
function names(list: readonly string[]): string {
  return list.map(name => addressable(name, /,|^$|^\s|\(\s|\s\)?$/)).join();
}

/** No condition would let every row through, and no name would mean every field. */
function filled(list: unknown[], name: string, sent: object = list): object {
  return list.length > 0 ? sent : refuse(`"${name}" is empty.`);
}

/** Each condition with its operator: a text alone may look like one. */
function whereOf(where: Json): Json {
  // A list or a map has no members that are conditions: every row would be let through.
  addressable({}.toString.call(where), / (?!Object)/);
  return mapped(where, (value, field) => {
    if (value === null) return null;
    const tests: unknown[] = Array.isArray(value) ? Array.isArray(value[0]) ? value : [value] : [['==', value]];
    return tests.every(isTest) ? tests : refuse(`"${field}" is no operator and value.`);
  });
}

function isTest(test: unknown): boolean {
  const [operator, operand] = Array.isArray(test) && test.length === 2 ? test as unknown[] : [];
  const isPlain = Object(operand) !== operand || Array.isArray(operand) || operand instanceof Date;
  return typeof operator === 'string' && operand !== undefined && isPlain;
}

function includeOf(include: Json): Json {
  return mapped(include, node => typeof node === 'object' && node ? membersOf(node as Json) : node);
}
