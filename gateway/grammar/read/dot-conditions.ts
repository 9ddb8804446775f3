import { equalsText, inList, operandFits, textCondition, type Place } from './conditions.ts';
import { refuseForeign } from './foreign.ts';
import { byCode, type OperatorRule } from './operators.ts';
import type { Condition } from './shape.ts';

/**
 * Values with an operator are ANDed; bare ones are one value, or together the set they are drawn from.
 * @throws ApiError 400 UNKNOWN_FILTER_OPERATOR, INVALID_FILTER_VALUE.
 */
export function dotConditions(values: string[], place: Place): Condition[] {
  const conditions: Condition[] = [];
  const bare: string[] = [];
  for (const value of values) {
    const dot = splitDot(value);
    if (dot) {
      conditions.push(textCondition(dot.rule, dot.operand, place));
    } else {
      refuseForeign(value, place.field);
      bare.push(value);
    }
  }
  if (bare.length > 1) conditions.push(inList(bare, place));
  else if (bare[0] !== undefined) conditions.push(equalsText(bare[0], place));
  return conditions;
}

/** Whether a value carries an operator of its own, as in `gte.18`. */
export const hasOperator = (value: string): boolean => splitDot(value) !== undefined;

/** Undefined when the text before the first dot is no operator, or has not the operand it needs: `user@host.com`. */
function splitDot(value: string): { rule: OperatorRule; operand: string } | undefined {
  const dot = value.indexOf('.');
  const rule = dot === -1 ? undefined : byCode.get(value.slice(0, dot));
  if (!rule) return undefined;
  const operand = value.slice(dot + 1);
  return operandFits(rule, operand) ? { rule, operand } : undefined;
}
