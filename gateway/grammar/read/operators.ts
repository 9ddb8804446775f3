import { ApiError } from '../../error.ts';
import { didYouMean } from '../../spelling.ts';
import type { Operator } from './shape.ts';

/** `operand`: what the operator takes. `null`: the null test that NULL as its operand means, where it means one. */
export type OperatorRule = { symbol: Operator; code: string; operand: 'scalar' | 'list' | 'none'; null?: 'is-null' | 'is-not-null' };

const rules: readonly OperatorRule[] = [
  { symbol: '==', code: 'eq', operand: 'scalar', null: 'is-null' },
  { symbol: '!=', code: 'neq', operand: 'scalar', null: 'is-not-null' },
  { symbol: '>', code: 'gt', operand: 'scalar' },
  { symbol: '>=', code: 'gte', operand: 'scalar' },
  { symbol: '<', code: 'lt', operand: 'scalar' },
  { symbol: '<=', code: 'lte', operand: 'scalar' },
  { symbol: 'in', code: 'in', operand: 'list', null: 'is-null' },
  { symbol: 'not-in', code: 'nin', operand: 'list', null: 'is-not-null' },
  { symbol: 'array-contains', code: 'cs', operand: 'scalar' },
  { symbol: 'array-contains-any', code: 'csa', operand: 'list' },
  { symbol: 'like', code: 'like', operand: 'scalar' },
  { symbol: 'ilike', code: 'ilike', operand: 'scalar' },
  { symbol: 'not-like', code: 'nlike', operand: 'scalar' },
  { symbol: 'not-ilike', code: 'nilike', operand: 'scalar' },
  { symbol: 'is-null', code: 'isnull', operand: 'none' },
  { symbol: 'is-not-null', code: 'notnull', operand: 'none' },
];

export const byCode: ReadonlyMap<string, OperatorRule> = new Map(rules.map(rule => [rule.code, rule]));
/** Tuples and logical groups take the symbol or the dot code, exactly as spelled. */
export const byName: ReadonlyMap<string, OperatorRule> = new Map(rules.flatMap(rule => [[rule.symbol, rule], [rule.code, rule]]));

export const validOperators = rules.map(rule => rule.symbol);

/** @returns the 400 UNKNOWN_FILTER_OPERATOR to throw. */
export function unknownOperator(field: string, operator: string): ApiError {
  return new ApiError(400, 'UNKNOWN_FILTER_OPERATOR',
    `"${operator}" is not a filter operator.${didYouMean([operator], [...byName.keys()])} The operators are: ${validOperators.join(', ')}.`,
    { field, operator, validOperators });
}

/**
 * Whether the first of two items was meant as an operator. Without this a misspelt operator would silently become
 * a list of two values, `["equals", "x"]` the set {equals, x}.
 */
export function looksLikeOperator(text: string): boolean {
  if (text === '=' || /^[!-/:-@[-`{-~]{2,3}$/.test(text)) return true;
  const folded = fold(text);
  return respellings.has(folded) || foreignNames.has(folded.replace('not', '')) || /^(?:greater|less)than/.test(folded);
}

const fold = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, '');
const respellings: ReadonlySet<string> = new Set([...byName.keys()].map(fold));
/** Operator names of other query dialects, folded and without a `not`. */
const foreignNames: ReadonlySet<string> = new Set([
  'contains', 'startswith', 'endswith', 'includes', 'matches', 'regex', 'between', 'equal', 'equals', 'isempty',
  'oneof', 'anyof', 'allof', 'null',
]);
