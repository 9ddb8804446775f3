import { query } from '../client.ts';
import type { Group, Key, Leaf, Node } from './model.ts';
import { FIELDS, snake } from './world.ts';
import type { Ask } from './requests.ts';

// The many ways to write one request. Which of them a part takes is drawn with it, and must not matter.

const SYMBOLS: Record<string, string> = {
  eq: '==', neq: '!=', gt: '>', gte: '>=', lt: '<', lte: '<=', in: 'in', nin: 'not-in', cs: 'array-contains', csa: 'array-contains-any',
  like: 'like', ilike: 'ilike', nlike: 'not-like', nilike: 'not-ilike', isnull: 'is-null', notnull: 'is-not-null',
};
const CODES = Object.keys(SYMBOLS);
const NAMES: ReadonlySet<string> = new Set([...CODES, ...Object.values(SYMBOLS)]);

const escaped = (text: unknown) => String(text).replaceAll(/[\\,()]/g, '\\$&');
const listText = (items: unknown[]) => items.length === 0 ? '(\\)' : `(${items.map(escaped).join(',')})`;
const pick = <T>(choices: T[], spelling: number): T => choices[spelling % choices.length] as T;
/** Columns answer to their own names as well. */
const COLUMNS: ReadonlySet<string> = new Set(Object.values(FIELDS).flat());
const rawName = (field: string): string => field.replace(/[^.]+$/, name => COLUMNS.has(name) ? snake(name) : name);
export const nameOf = (field: string, spelling: number): string => spelling % 5 === 4 ? rawName(field) : field;
const nullTest = (spelling: number): string => pick(['', 'null', 'true', 'x'], spelling);

/** Whether a text without an operator before it is taken for what it is. */
function isBare(value: unknown): boolean {
  const [head = '', ...rest] = String(value).split('.');
  return rest.length === 0 || !CODES.includes(head) || (/^(?:nin|in|csa)$/.test(head) && !/^\(.*\)$/s.test(rest.join('.')));
}

function operand({ value, spelling }: Leaf, inGroup: boolean): string {
  if (Array.isArray(value)) return listText(value);
  return value === null ? nullTest(spelling) : inGroup ? escaped(value) : String(value);
}

/** `field` as the query parameter, or inside `where`, where JSON tells numbers from text. */
type Spelled = { parameter: string[] } | { where: unknown };

/** `bare`: whether the parameter has a value without an operator already. `where`: what `where` says of the field so far. */
function spellings(leaf: Leaf, taken: { bare: boolean; where: unknown }): Spelled[] {
  const { op, value, spelling } = leaf;
  const dot = `${op}.${operand(leaf, false)}`;
  const code = spelling % 3 === 0 ? op : SYMBOLS[op];
  const isList = Array.isArray(value);
  const typed = typeof value === 'number' && spelling % 7 === 0 ? String(value) : value as unknown;
  return [
    { parameter: [dot] },
    ...(!taken.bare && op === 'eq' && isBare(value) ? [{ parameter: [String(value)] }] : []),
    ...(!taken.bare && op === 'in' && isList && value.length > 1 && value.every(isBare) ? [{ parameter: value.map(String) }] : []),
    ...(taken.where !== undefined ? longer(taken.where, [code, typed], dot) : [
      { where: [code, typed] }, { where: [[code, typed]] }, { where: dot }, { where: [dot] },
      ...(op === 'eq' && isBare(value) ? [{ where: typed }] : []),
      ...(op === 'in' && isList && value.length > 2 && isBare(value[0]) ? [{ where: value as unknown }] : []),
      ...(op === 'in' && isList && value.length === 1 ? [{ where: ['in', value[0] as unknown] }] : []),
      ...(op === 'isnull' ? [{ where: null }, { where: ['==', null] }, { where: ['in', null] }] : []),
      ...(op === 'notnull' ? [{ where: ['!=', null] }, { where: ['not-in', null] }] : []),
    ]),
  ];
}

/** Adds a tuple or a dot-string to a list of them. */
function longer(conditions: unknown, tuple: unknown[], dot: string): Spelled[] {
  if (!Array.isArray(conditions)) return [];
  if (conditions.every(Array.isArray)) return [{ where: [...conditions, tuple] }];
  return conditions.every(item => CODES.some(code => String(item).startsWith(`${code}.`))) ? [
    { where: [...conditions, dot] as unknown[] },
  ] : [];
}

/** Conditions as parameters and as `where`; an include has only the latter. */
function filters(leaves: Leaf[], onlyWhere: boolean): { parameters: string[]; where: Record<string, unknown> } {
  const parameters: string[] = [];
  const where: Record<string, unknown> = {};
  const bare = new Set<string>();
  for (const leaf of leaves) {
    const field = nameOf(leaf.field, leaf.spelling);
    const name = field in where && leaf.spelling % 2 === 0
      ? [leaf.field, rawName(leaf.field)].find(name => !(name in where)) ?? field
      : field;
    const choices = spellings(leaf, { bare: bare.has(field), where: where[name] }).filter(choice =>
      !onlyWhere || ('where' in choice && (leaves.length === 1 || longer(choice.where, [], '').length > 0)));
    const choice = pick(choices, leaf.spelling);
    if ('where' in choice) where[name] = choice.where;
    else {
      if (choice.parameter.every(isBare)) bare.add(field);
      parameters.push(...choice.parameter.map(value => query({ [field]: value })));
    }
  }
  return { parameters, where };
}

function groupText(node: Group | Leaf): string {
  if (!('op' in node)) return `${node.type}(${node.parts.map(groupText).join(',')})`;
  const { op, value, spelling, field } = node;
  const plain = op === 'eq' && !field.includes('.') && spelling % 4 === 1 && !String(value).split('.').some(part => NAMES.has(part));
  return `${nameOf(field, spelling)}.${plain ? escaped(value) : `${spelling % 3 === 0 ? SYMBOLS[op] : op}.${operand(node, true)}`}`;
}

const groupJson = (node: Group | Leaf): object => 'op' in node
  ? {
    column: nameOf(node.field, node.spelling), operator: node.spelling % 2 === 0 ? SYMBOLS[node.op] : node.op, value: node.value as unknown,
  }
  : { type: node.type, conditions: node.parts.map(groupJson) };

const colons = ({ field, direction, nulls }: Key): string => `${field}:${direction}${nulls ? `:${nulls}` : ''}`;

function orderOf(named: Key[], spelling: number, inInclude: boolean): unknown {
  const keys = named.map(key => ({ ...key, field: nameOf(key.field, spelling) }));
  const [first] = keys;
  return pick<unknown>([
    keys, keys.map(colons),
    ...(keys.length === 1 && first ? [colons(first), colons(first).replace(/:asc$/, '')] : []),
    ...(inInclude ? [keys.map(({ field, direction, nulls }) => [field, direction, ...(nulls ? [nulls] : [])])] : []),
  ], spelling);
}

/** A relation that is included is shown, named or not. */
const fieldsOf = ({ fields = [], include, spelling }: Pick<Node, 'fields' | 'include' | 'spelling'>): string[] =>
  [...fields.map(field => nameOf(field, spelling)), ...(spelling % 4 === 1 ? Object.keys(include) : [])];
const fieldsText = (node: Parameters<typeof fieldsOf>[0]): string => fieldsOf(node).join(node.spelling % 2 === 0 ? ',' : ' , ');

/** The shown fields of a row. */
export const shownText = (node: Node): string[] => [query({ ...(node.fields && { fields: fieldsText(node) }), ...includeOf(node) })];

const isPlain = ({ leaves, group, keys, limit, fields }: Node): boolean =>
  leaves.length === 0 && !group && keys.length === 0 && limit === undefined && !fields;

function includeJson(node: Node): unknown {
  const { leaves, group, keys, limit, fields, include, spelling } = node;
  if (isPlain(node) && Object.keys(include).length === 0) return spelling % 2 === 0 ? true : {};
  const { where } = filters(leaves, true);
  return {
    ...(leaves.length > 0 && { where }), ...(group && { logical: spelling % 2 === 0 ? groupText(group) : groupJson(group) }),
    ...(keys.length > 0 && { orderBy: orderOf(keys, spelling, true) }), ...(limit !== undefined && { limit }),
    ...(fields && { fields: spelling % 3 === 0 ? fieldsText(node) : fieldsOf(node) }),
    ...(Object.keys(include).length > 0
      && { include: Object.fromEntries(Object.entries(include).map(([name, child]) => [name, includeJson(child)])) }),
  };
}

/** Paths, where no relation of the tree has options. */
function includePaths(include: Record<string, Node>): string[] | undefined {
  const paths = Object.entries(include).map(([name, node]) => {
    const below = includePaths(node.include);
    if (!isPlain(node) || !below) return undefined;
    return below.length === 0 ? [name] : below.map(path => `${name}.${path}`);
  });
  return paths.includes(undefined) ? undefined : paths.flatMap(path => path ?? []);
}

function includeOf({ include, all }: Pick<Node, 'include' | 'all'>): Record<string, unknown> {
  if (!all && Object.keys(include).length === 0) return {};
  const paths = includePaths(include);
  return { include: paths
    ? [...(all ? ['*'] : []), ...paths].join(',')
    : { ...(all && { '*': true }), ...Object.fromEntries(Object.entries(include).map(([name, child]) => [name, includeJson(child)])) } };
}

/** The conditions of a request, which its list, count and aggregate share. */
export function narrowingOf({ node: { leaves, group }, search }: Pick<Ask, 'node' | 'search'>): string[] {
  const { parameters, where } = filters(leaves, false);
  const text = group ? groupText(group).slice(group.type.length) : '';
  const bare = text.slice(1, -1);
  return [
    ...(search ? [query({ searchString: search.map(word => word.includes(' ') ? `"${word}"` : word).join(' ') })] : []),
    ...parameters, ...(Object.keys(where).length > 0 ? [query({ where })] : []),
    ...(group ? [query({ [group.type]: group.parts.length > 1 && bare.trim() === bare ? bare : text })] : []),
  ];
}

export const orderText = (keys: Key[], spelling: number): string[] =>
  keys.length > 0 ? [query({ orderBy: orderOf(keys, spelling, false) })] : [];

export const routeOf = ({ path, collection }: Pick<Ask, 'path' | 'collection'>): string =>
  [
    ...path.slice(0, 1).map(step => step.collection), ...path.flatMap(({ id, relation }) => [id, relation]),
    ...(path.length === 0 ? [collection] : []),
  ].join('/');
