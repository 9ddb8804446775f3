import { ApiError } from '../../error.ts';
import { isObject, parseJson, type Json } from '../json.ts';
import { itemTexts, jsonCondition, listCondition, type Place } from './conditions.ts';
import { dotConditions, hasOperator } from './dot-conditions.ts';
import { refuseForeign } from './foreign.ts';
import { hoistField } from './field.ts';
import { byName, looksLikeOperator, unknownOperator, type OperatorRule } from './operators.ts';
import type { Parameters } from './parameters.ts';
import type { Condition } from './shape.ts';

/**
 * Adds the conditions of `?where=` to those already there.
 * @throws ApiError 400 INVALID_WHERE, UNKNOWN_FILTER_OPERATOR, INVALID_FILTER_VALUE, INVALID_PARAM.
 */
export function addWhereText(text: string, parameters: Parameters, conditions: Record<string, Condition[]>): void {
  addWhere(readObject(text), parameters, conditions);
}

/** The same for a `where` that is already JSON: an include's. */
export function addWhere(where: Json, parameters: Parameters, conditions: Record<string, Condition[]>): void {
  if (!isObject(where)) throw malformed('"where" is not a JSON object of conditions.');
  for (const [field, value] of Object.entries(where)) {
    const known = conditions[hoistField(field, parameters, 'where')] ??= [];
    known.push(...fieldConditions(value, { field, parameters, code: 'INVALID_WHERE' }));
  }
}

function readObject(text: string): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    throw malformed('"where" is not JSON.', undefined, cause);
  }
}

function fieldConditions(value: Json, place: Place): Condition[] {
  if (Array.isArray(value)) return listConditions(value, place);
  return typeof value === 'string' ? dotConditions([value], place) : [jsonCondition(equals, value, place)];
}

/** An array is, in this order: one tuple, several tuples, several dot-strings, or a set of values. */
function listConditions(items: Json[], place: Place): Condition[] {
  const [first] = items;
  if (first === undefined) throw malformed(`The list for "${place.field}" is empty.`, place.field);
  if (Array.isArray(first)) return items.map(item => tupleCondition(item, place));
  if (items.length === 2 && typeof first === 'string') {
    const rule = tupleRule(first, place);
    if (rule) return [jsonCondition(rule, items[1], place)];
  }
  if (items.length === 1 && first !== null) return fieldConditions(first, place);
  if (typeof first === 'string' && hasOperator(first)) return dotConditions(itemTexts(items, place), place);
  for (const item of items) if (typeof item === 'string') refuseForeign(item, place.field);
  // Values without an operator are the set they are drawn from, with any dots: ["v1.2", "v1.3"].
  return [listCondition('in', items, place)];
}

function tupleCondition(tuple: Json, place: Place): Condition {
  const [operator, operand] = Array.isArray(tuple) && tuple.length === 2 ? tuple : [];
  const rule = typeof operator === 'string' ? tupleRule(operator, place) : undefined;
  if (!rule) throw malformed(`A condition for "${place.field}" is not an operator and a value.`, place.field);
  return jsonCondition(rule, operand, place);
}

function tupleRule(operator: string, { field }: Place): OperatorRule | undefined {
  const rule = byName.get(operator);
  if (!rule && looksLikeOperator(operator)) throw unknownOperator(field, operator);
  return rule;
}

function malformed(message: string, field?: string, cause?: unknown): ApiError {
  return new ApiError(400, 'INVALID_WHERE', message, field === undefined ? undefined : { field }, { cause });
}

const equals: OperatorRule = { symbol: '==', code: 'eq', operand: 'scalar', null: 'is-null' };
