import { newDictionary } from '../dictionary.ts';
import { dotConditions } from './dot-conditions.ts';
import { hoistField } from './field.ts';
import type { Parameters } from './parameters.ts';
import type { Condition } from './shape.ts';
import { addWhereText } from './where.ts';

/**
 * `?field=` filters, then `where`, ANDed field by field; undefined when there are none.
 * @throws ApiError 400 INVALID_WHERE, UNKNOWN_FILTER_OPERATOR, INVALID_FILTER_VALUE, INVALID_PARAM.
 */
export function parseConditions(
  filters: Map<string, string[]>, where: string | undefined, parameters: Parameters,
): Record<string, Condition[]> | undefined {
  if (filters.size === 0 && where === undefined) return undefined;
  const conditions = newDictionary<Condition[]>();
  for (const [field, values] of filters) {
    conditions[hoistField(field, parameters, 'filter')] = dotConditions(values, { field, parameters, code: 'INVALID_WHERE' });
  }
  if (where !== undefined) addWhereText(where, parameters, conditions);
  return Object.keys(conditions).length === 0 ? undefined : conditions;
}
