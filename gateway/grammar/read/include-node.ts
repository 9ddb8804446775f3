import { ApiError } from '../../error.ts';
import { didYouMean } from '../../spelling.ts';
import { newDictionary } from '../dictionary.ts';
import { isObject, JsonNumber, type Json, type JsonObject } from '../json.ts';
import { nameList, uniqueNames } from '../names.ts';
import { addPaths, invalidInclude, maximumHops, relationName, tooDeep, type Tree } from './include-tree.ts';
import { parseJsonGroup } from './logical-json.ts';
import { parseNamedGroup } from './logical.ts';
import { orderByJson, parseOrderBy } from './order.ts';
import type { Parameters } from './parameters.ts';
import type { Condition, Group, Include, SortKey } from './shape.ts';
import { addWhere } from './where.ts';

/** The context of every node of an include. */
type Given = { parameters: Parameters; maxLimit: number };

const options: ReadonlySet<string> = new Set(['where', 'logical', 'orderBy', 'limit', 'fields', 'include'] satisfies (keyof Include)[]);

/**
 * Adds the relations of a JSON include that are `depth` hops away.
 * @throws ApiError 400 INVALID_INCLUDE, INCLUDE_TOO_DEEP, INVALID_WHERE, INVALID_LOGICAL_GROUP, and those of conditions.
 */
export function addNodes(tree: Tree, relations: JsonObject, depth: number, given: Given): void {
  for (const [name, value] of Object.entries(relations)) {
    if (value === false || value === null) continue;
    if (depth > maximumHops) throw tooDeep();
    const relation = relationName(name, depth > 1);
    if (value !== true && (name === '*' || !isObject(value))) {
      throw invalidInclude(`The include of "${name}" is neither true nor an object of options.`);
    }
    tree[relation] = value === true ? {} : nodeOf(value, name, depth, given);
  }
}

/** Values are numbered in this order, regardless of the order of the options. */
function nodeOf(value: JsonObject, name: string, depth: number, given: Given): Include {
  const unknown = Object.keys(value).find(key => !options.has(key));
  if (unknown !== undefined) {
    throw invalidInclude(`"${unknown}" is not an option of the include of "${name}".${didYouMean([unknown], [...options])}`);
  }
  const node: Include = {};
  const put = <K extends keyof Include>(option: K, read: (json: Json) => Include[K] | undefined): void => {
    const json = value[option] ?? null;
    const parsed = json === null ? undefined : read(json);
    if (parsed !== undefined) node[option] = parsed;
  };
  const { parameters, maxLimit } = given;
  put('where', json => whereOf(json, parameters));
  put('logical', json => logicalOf(json, parameters));
  put('orderBy', orderOf);
  put('limit', json => parameters.add(limitText(json, maxLimit), { kind: 'limit' }));
  put('fields', fieldsOf);
  put('include', json => relationsOf(json, depth + 1, given));
  return node;
}

function whereOf(json: Json, parameters: Parameters): Record<string, Condition[]> | undefined {
  const conditions = newDictionary<Condition[]>();
  addWhere(json, parameters, conditions);
  return Object.keys(conditions).length === 0 ? undefined : conditions;
}

function logicalOf(json: Json, parameters: Parameters): Group | undefined {
  return typeof json === 'string' ? parseNamedGroup(json, parameters) : parseJsonGroup(json, parameters);
}

/** Besides the spellings of a top-level order: `["field", "desc"]`, and a list of such tuples. */
function orderOf(json: Json): SortKey[] | undefined {
  if (typeof json === 'string') return parseOrderBy(json, 'INVALID_INCLUDE');
  if (!Array.isArray(json)) throw invalidInclude('"orderBy" is neither text nor a list.');
  const keys = isOneTuple(json) ? [json] : json;
  return orderByJson(keys.map(key => Array.isArray(key) ? keyOfTuple(key) : key), 'INVALID_INCLUDE');
}

function isOneTuple([field, direction]: Json[]): boolean {
  return typeof field === 'string' && typeof direction === 'string' && /^(?:asc|desc)$/i.test(direction);
}

function keyOfTuple([field = null, direction = null, nulls = null, ...rest]: Json[]): JsonObject {
  if (rest.length > 0) throw invalidInclude('"orderBy" has more than field, direction and nulls.');
  return { field, direction, nulls };
}

function limitText(json: Json, maximum: number): string {
  const limit = json instanceof JsonNumber ? Number(json.source) : NaN;
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= maximum) return String(limit);
  throw new ApiError(400, 'INVALID_INCLUDE', `"limit" is not a whole number from 1 to ${maximum}.`, { parameter: 'limit', maximum });
}

function fieldsOf(json: Json): string[] | undefined {
  if (typeof json === 'string') return nameList(json, 'include');
  if (isTexts(json)) return uniqueNames(json, 'include');
  throw invalidInclude('"fields" is not a list of names.');
}

function relationsOf(json: Json, depth: number, given: Given): Tree | undefined {
  const tree = newDictionary<Include>();
  if (isObject(json)) addNodes(tree, json, depth, given);
  else if (isTexts(json)) addPaths(tree, json, depth);
  else if (typeof json === 'string') addPaths(tree, json.split(','), depth);
  else throw invalidInclude('A nested "include" is neither an object nor a list of names.');
  return Object.keys(tree).length === 0 ? undefined : tree;
}

const isTexts = (json: Json): json is string[] => Array.isArray(json) && json.every(item => typeof item === 'string');
