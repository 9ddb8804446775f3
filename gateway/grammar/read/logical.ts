import {
  closing, firstParenthesis, isBalanced, lowestDepths, openParentheses, splitParts, unescape, withoutOuterParentheses,
} from '../escapes.ts';
import { parseJson, type Json } from '../json.ts';
import { isStorable } from '../../storable.ts';
import type { Reserved } from '../query.ts';
import { equalsText, operandFits, textCondition } from './conditions.ts';
import { refuseForeign } from './foreign.ts';
import { hoistField } from './field.ts';
import { groupTypes, malformed, maximumDepth } from './logical-group.ts';
import { parseJsonGroup } from './logical-json.ts';
import { byName, type OperatorRule } from './operators.ts';
import { Parameters, unstorableText } from './parameters.ts';
import type { Group, Leaf } from './shape.ts';

/** Stands for the backslash of an empty list. No client can send it: text with NUL is refused before a group is read. */
const emptyListMark = '\0';

/**
 * Reads the one logical group of a request: `or` has priority over `and`, `and` over `not`. The others are checked all the same.
 * @throws ApiError 400 INVALID_LOGICAL_GROUP.
 */
export function parseLogical(reserved: Reserved, parameters: Parameters): Group | undefined {
  const [winner, ...losers] = groupTypes.filter(type => reserved[type] !== undefined);
  if (winner === undefined) return undefined;
  for (const type of losers) parseGroup(type, reserved[type] ?? '', new Parameters());
  return parseGroup(winner, reserved[winner] ?? '', parameters);
}

/** Reads the text of one group, its outer parentheses optional, or a JSON list of conditions; undefined when there is nothing in it. */
function parseGroup(type: Group['type'], text: string, parameters: Parameters): Group | undefined {
  if (!isStorable(text)) throw unstorableText({ parameter: type });
  if (/^\s*\[/.test(text)) return parseJsonGroup({ type, conditions: readJson(text) }, parameters);
  const content = withoutOuterParentheses(markEmptyLists(text.trim()));
  return content === '' ? undefined : groupOf(type, content, parameters, 1);
}

function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw malformed('is not valid JSON');
  }
}

/** Reads `or(a.eq.1,…)`, the form in which a group names its own type. */
export function parseNamedGroup(text: string, parameters: Parameters): Group | undefined {
  const type = groupTypes.find(name => text.trimStart().startsWith(`${name}(`));
  if (!type) throw malformed('does not begin with and(, or( or not(');
  return parseGroup(type, text.trimStart().slice(type.length), parameters);
}

function groupOf(type: Group['type'], content: string, parameters: Parameters, depth: number): Group {
  if (depth > maximumDepth) throw malformed(`nests deeper than ${maximumDepth} levels`);
  return { type, conditions: splitParts(content).map(part => partOf(part.trimStart(), parameters, depth)) };
}

function partOf(part: string, parameters: Parameters, depth: number): Group | Leaf {
  const type = groupTypes.find(name => part.startsWith(`${name}(`));
  if (!type) return leafOf(part, parameters);
  const inner = part.trimEnd();
  if (closing(inner, type.length) !== inner.length - 1) throw malformed(`has text after the end of ${type}(…)`);
  return groupOf(type, inner.slice(type.length + 1, -1), parameters, depth + 1);
}

/**
 * `column.operator.value`. The column ends before the first segment that names an operator, so that
 * `author.name.eq.bob` tests `author.name`. Without one, `status.active` is equality and a bare `featured` is true.
 */
function leafOf(text: string, parameters: Parameters): Leaf {
  const head = text.slice(0, firstParenthesis(text));
  for (let dot = head.indexOf('.'); dot !== -1; dot = head.indexOf('.', dot + 1)) {
    const next = head.indexOf('.', dot + 1);
    const rule = byName.get(head.slice(dot + 1, next === -1 ? head.length : next));
    if (rule && (next !== -1 || (rule.operand === 'none' && head === text))) {
      const operand = next === -1 ? '' : text.slice(next + 1);
      return conditionOf(text, dot, rule, operand, parameters);
    }
  }
  return equality(text, head.indexOf('.'), parameters);
}

function conditionOf(text: string, dot: number, rule: OperatorRule, operand: string, parameters: Parameters): Leaf {
  const given = rule.operand === 'list' ? asSent(operand.trimEnd()) : plain(operand);
  if (!operandFits(rule, given)) return equality(text, dot, parameters);
  const place = placeOf(text.slice(0, dot), parameters);
  return { column: place.column, condition: textCondition(rule, given, place) };
}

function equality(text: string, dot: number, parameters: Parameters): Leaf {
  const place = placeOf(dot === -1 ? text.trimEnd() : text.slice(0, dot), parameters);
  const value = dot === -1 ? 'true' : plain(text.slice(dot + 1));
  refuseForeign(value, place.field);
  return { column: place.column, condition: equalsText(value, place) };
}

function placeOf(column: string, parameters: Parameters) {
  if (column === '' || column.startsWith('(')) throw malformed('has a condition without a field');
  const field = plain(column);
  return { column: hoistField(field, parameters, 'logical group'), field, parameters, code: 'INVALID_LOGICAL_GROUP' } as const;
}

const asSent = (text: string): string => text.replaceAll(emptyListMark, '\\');
const plain = (text: string): string => asSent(unescape(text));

/**
 * Checks that the parentheses balance. `(\)` is the empty list to its writer, but reads as an escaped parenthesis: as many
 * as the group lacks closing ones are taken for the list, from the first on, but none that would end the group too soon.
 */
function markEmptyLists(text: string): string {
  if (isBalanced(text)) return text;
  const isWrapped = text.startsWith('(');
  const lowest = lowestDepths(text, isWrapped);
  const missing = openParentheses(text);
  let found = 0;
  // Escapes come first, because \(\) is a text of two parentheses.
  const marked = text.replaceAll(/\\[\\,()]|\(\\\)/g, (match, at: number) => {
    if (match !== '(\\)' || found === missing || (lowest[at + 2] ?? 0) - found <= (isWrapped ? 1 : 0)) return match;
    found++;
    return `(${emptyListMark})`;
  });
  if (isBalanced(marked)) return marked;
  throw malformed('has parentheses that do not balance');
}
