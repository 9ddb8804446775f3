import { ApiError } from '../../error.ts';
import { listItems } from '../escapes.ts';
import { JsonNumber, scalarText, type Json } from '../json.ts';
import type { OperatorRule } from './operators.ts';
import type { Parameters } from './parameters.ts';
import type { Condition, Operator } from './shape.ts';

/** The place of a condition: the field it tests, the parameters for its value, and the code for an unusable operand. */
export type Place = { field: string; parameters: Parameters; code: 'INVALID_WHERE' | 'INVALID_LOGICAL_GROUP' };

/** A condition whose operand is text: `?field=` values and the leaves of a textual group. */
export function textCondition({ symbol, operand }: OperatorRule, text: string, { field, parameters }: Place): Condition {
  const source = { kind: 'filter', field } as const;
  if (operand === 'none') return [symbol, null];
  if (operand === 'list') return [symbol, parameters.addList(listItems(text.slice(1, -1)), source)];
  checkPattern(symbol, text, field);
  return [symbol, parameters.add(text, source)];
}

/**
 * A pattern's last backslash must escape something. PostgreSQL says so too, but of no field, and only where a row lets it
 * come that far.
 * @throws ApiError 400 INVALID_FILTER_VALUE
 */
function checkPattern(symbol: string, text: string, field: string): void {
  if (!symbol.endsWith('like') || !/(?<!\\)(?:\\\\)*\\$/.test(text)) return;
  const message = `The pattern for "${field}" ends in a backslash that escapes nothing.`;
  throw new ApiError(400, 'INVALID_FILTER_VALUE', message, { field, dbCode: '22025' });
}

/** Whether a list operator really has its `( … )`: `status=in.progress` means the text "in.progress". */
export function operandFits({ operand }: OperatorRule, text: string): boolean {
  return operand !== 'list' || (text.length >= 2 && text.startsWith('(') && text.endsWith(')'));
}

export function equalsText(text: string, { field, parameters }: Place): Condition {
  return ['==', parameters.add(text, { kind: 'filter', field })];
}

export function inList(items: string[], { field, parameters }: Place): Condition {
  return ['in', parameters.addList(items, { kind: 'filter', field })];
}

/** A condition whose operand is JSON, undefined where the client sent none. */
export function jsonCondition(rule: OperatorRule, operand: Json | undefined, place: Place): Condition {
  if (rule.operand === 'none') return [rule.symbol, null];
  if (operand === null && rule.null) return [rule.null, null];
  if (Array.isArray(operand) && rule.operand === 'list') {
    return listCondition(rule.symbol, operand, place);
  }
  const text = operand === undefined || operand === null ? undefined : scalarText(operand);
  if (text === undefined) throw uselessOperand(rule, place);
  const condition = rule.operand === 'list' ? oneItemCondition : scalarCondition;
  return condition(rule, text, place, numberKind(operand));
}

/** @throws as itemTexts. */
export function listCondition(operator: Operator, items: Json[], place: Place): Condition {
  const list = place.parameters.addList(itemTexts(items, place), { kind: 'filter', field: place.field });
  return items.some(item => numberKind(item) === 'decimal') ? [operator, list, 'decimal'] : [operator, list];
}

type NumberKind = 'number' | 'decimal' | undefined;

function numberKind(operand: Json | undefined): NumberKind {
  if (!(operand instanceof JsonNumber)) return undefined;
  return operand.isDecimal ? 'decimal' : 'number';
}

/** @throws ApiError 400 INVALID_FILTER_VALUE for NULL: SQL's `in` never finds it, so no answer would be the right one. */
export function itemTexts(items: Json[], { field, code }: Place): string[] {
  return items.map(item => {
    if (item === null) {
      const message = `The list for "${field}" holds null. Test for null on its own.`;
      throw new ApiError(400, 'INVALID_FILTER_VALUE', message, { field, dbCode: '22004' });
    }
    const text = scalarText(item);
    if (text === undefined) throw new ApiError(400, code, `The list for "${field}" holds something other than plain values.`, { field });
    return text;
  });
}

function scalarCondition({ symbol }: OperatorRule, text: string, { field, parameters }: Place, kind: NumberKind): Condition {
  checkPattern(symbol, text, field);
  const number = parameters.add(text, { kind: 'filter', field });
  return kind ? [symbol, number, kind] : [symbol, number];
}

/** To overlap with one value is to contain it. */
function oneItemCondition({ symbol }: OperatorRule, text: string, place: Place, kind: NumberKind): Condition {
  if (symbol === 'array-contains-any') return scalarCondition(containsOne, text, place, kind);
  const list = place.parameters.addList([text], { kind: 'filter', field: place.field });
  return kind === 'decimal' ? [symbol, list, kind] : [symbol, list];
}

function uselessOperand({ symbol }: OperatorRule, { field, code }: Place): ApiError {
  return new ApiError(400, code, `The operator ${symbol} on "${field}" cannot take that value.`, { field, operator: symbol });
}

const containsOne: OperatorRule = { symbol: 'array-contains', code: 'cs', operand: 'scalar' };
