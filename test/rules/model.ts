import type { Caller } from './client.ts';

// The meaning of a condition, once more over rows in memory. Unknown is null, as in SQL.

export type Value = string | number | boolean | null;
export type Row = Readonly<Record<string, Value>>;
export type World = Readonly<Record<string, readonly Row[]>>;
export type Operand =
  | { kind: 'field' | 'outerField' | 'authClaim'; name: string }
  | { kind: 'literal'; value: Value }
  | { kind: 'authUid' };
export type Operator = 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte';
export type Condition =
  | { kind: 'true' | 'false' | 'authenticated' | 'registered' | 'serverContext' }
  | { kind: 'and' | 'or'; operands: Condition[] }
  | { kind: 'not'; operand: Condition }
  | { kind: 'compare'; op: Operator; left: Operand; right: Operand }
  | { kind: 'rolesOverlap' | 'rolesContain'; roles: string[] }
  | { kind: 'existsIn'; collection: string; where: Condition };

type Scope = { world: World; caller: Caller; row: Row; checked: Row };

/** Whether it holds of a row; null when that is unknown. */
export function holds(condition: Condition, scope: Scope): boolean | null {
  const { uid, roles = [], guest = false } = scope.caller;
  switch (condition.kind) {
    case 'true': return true;
    case 'false': case 'serverContext': return false;
    case 'and': return every(condition.operands.map(operand => holds(operand, scope)));
    case 'or': return opposite(every(condition.operands.map(operand => opposite(holds(operand, scope)))));
    case 'not': return opposite(holds(condition.operand, scope));
    case 'authenticated': return uid !== 'anonymous';
    case 'registered': return uid !== 'anonymous' && !guest;
    case 'rolesOverlap': return condition.roles.some(role => roles.includes(role));
    case 'rolesContain': return condition.roles.every(role => roles.includes(role));
    case 'existsIn': return (scope.world[condition.collection] ?? []).some(row => holds(condition.where, { ...scope, row }) === true);
    case 'compare': return compared(condition, scope);
  }
}

function every(found: (boolean | null)[]): boolean | null {
  return found.includes(false) ? false : found.includes(null) ? null : true;
}

function opposite(found: boolean | null): boolean | null {
  return found === null ? null : !found;
}

function compared({ op, left, right }: Extract<Condition, { kind: 'compare' }>, scope: Scope): boolean | null {
  const [a, b] = [valueOf(left, scope), valueOf(right, scope)];
  if ([left, right].some(side => side.kind === 'literal' && side.value === null)) return (a === null && b === null) === (op === 'eq');
  const type = typeOf(left) ?? typeOf(right) ?? literalType(left) ?? literalType(right);
  const [x, y] = [cast(a, type), cast(b, type)];
  if (x === null || y === null) return null;
  return { eq: x === y, neq: x !== y, lt: x < y, lte: x <= y, gt: x > y, gte: x >= y }[op];
}

function valueOf(operand: Operand, { caller, row, checked }: Scope): Value {
  switch (operand.kind) {
    case 'field': return row[operand.name] ?? null;
    case 'outerField': return checked[operand.name] ?? null;
    case 'literal': return operand.value;
    case 'authUid': return caller.uid;
    case 'authClaim': return operand.name === 'sub' ? caller.uid : caller.claims?.[operand.name] as Value | undefined ?? null;
  }
}

/** Columns whose names begin with n are whole numbers, the others texts. */
function typeOf(operand: Operand): string | undefined {
  if (operand.kind !== 'field' && operand.kind !== 'outerField') return undefined;
  return operand.name.startsWith('n') ? 'number' : 'string';
}

function literalType(operand: Operand): string | undefined {
  return operand.kind === 'literal' ? typeof operand.value : undefined;
}

/** A text that is no number is none, not an error. */
function cast(value: Value, type = 'string'): Value {
  if (value === null || type !== 'number') return value === null ? null : String(value);
  return /^(0|-?[1-9]\d*)$/.test(String(value)) ? Number(value) : null;
}
