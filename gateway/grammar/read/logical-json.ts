import { isObject, type Json, type JsonObject } from '../json.ts';
import { jsonCondition } from './conditions.ts';
import { hoistField } from './field.ts';
import { groupTypes, malformed, maximumDepth } from './logical-group.ts';
import { byName, unknownOperator } from './operators.ts';
import type { Parameters } from './parameters.ts';
import type { Group, Leaf } from './shape.ts';

/**
 * Reads `{"type":"or","conditions":[{"column","operator","value"}, …]}`; undefined when there is nothing in it.
 * @throws ApiError 400 INVALID_LOGICAL_GROUP, UNKNOWN_FILTER_OPERATOR, INVALID_FILTER_VALUE.
 */
export function parseJsonGroup(json: Json, parameters: Parameters): Group | undefined {
  if (!isObject(json)) throw malformed('is not a JSON object');
  const { type, conditions } = json;
  const isEmpty = groupTypes.some(name => name === type) && Array.isArray(conditions) && conditions.length === 0;
  return isEmpty ? undefined : groupOf(json, parameters, 1);
}

function groupOf({ type, conditions }: JsonObject, parameters: Parameters, depth: number): Group {
  if (depth > maximumDepth) throw malformed(`nests deeper than ${maximumDepth} levels`);
  const known = groupTypes.find(name => name === type);
  if (!known || !Array.isArray(conditions) || conditions.length === 0) {
    throw malformed('holds a group that is not a type (and, or, not) and conditions');
  }
  return { type: known, conditions: conditions.map(condition => conditionOf(condition, parameters, depth)) };
}

function conditionOf(json: Json, parameters: Parameters, depth: number): Group | Leaf {
  if (!isObject(json)) throw malformed('holds something other than conditions and groups');
  return json['conditions'] === undefined ? leafOf(json, parameters) : groupOf(json, parameters, depth + 1);
}

function leafOf({ column, operator, value }: JsonObject, parameters: Parameters): Leaf {
  if (typeof column !== 'string' || column === '' || typeof operator !== 'string') {
    throw malformed('holds a condition that is not a column, an operator and a value');
  }
  const rule = byName.get(operator);
  if (!rule) throw unknownOperator(column, operator);
  const hoisted = hoistField(column, parameters, 'logical group');
  return { column: hoisted, condition: jsonCondition(rule, value, { field: column, parameters, code: 'INVALID_LOGICAL_GROUP' }) };
}
