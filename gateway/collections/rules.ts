import { type SecurityRule, type Report } from './definition.ts';
import { type Model } from './model.ts';
import { byteLength, IDENTIFIER_BYTES } from './names.ts';
import { refuseOfRule } from './not-built.ts';

/** A rule with its defaults; `ownerColumn` is the column of its ownerField. */
export type NormalRule = Omit<SecurityRule, 'operation'> & { operations: string[]; mode: string; pgRoles: string[]; ownerColumn?: string };
type Warn = Report;
/** A null is a rule that is wrong in itself. */
export type GivenRules = (SecurityRule | null)[];

const DEFAULT_POLICIES = ['_default_admin_read', '_default_admin_write', '_default_self_read', '_require_admin_write'];
/** True for guests and for visitors without a sign-in: who writes it usually means people. */
const ANYBODY = /^\(*\s*\(?\s*(select\s+)?(service|auth)\.uid\(\)\s*\)?\s+is\s+not\s+null\s*\)*$/i;

/** The rules of a collection; `path` is where they stand, `columnOf` finds a property's column. */
export function normalRules(rules: GivenRules, model: Model, path: string, columnOf: (property: string) => string | undefined, report: Report, warn: Warn): NormalRule[] {
  const names = new Set<string>();
  return rules.flatMap((rule, i) => {
    if (rule === null) return [];
    const at = `${path}[${i}]`;
    const normal = normalRule(rule, at, columnOf, model, report);
    checkForm(rule, normal, at, report);
    for (const name of policyNames(normal)) {
      if (byteLength(name) > IDENTIFIER_BYTES) report(`${at}.name`, `the policy ${name} is longer than the ${IDENTIFIER_BYTES} bytes of a name in PostgreSQL`);
      if (names.has(name)) report(`${at}.name`, `two policies are named ${name}`);
      if (DEFAULT_POLICIES.some(suffix => name === model.table + suffix)) report(`${at}.name`, `${name} is a policy of the service`);
      names.add(name);
    }
    if (ANYBODY.test(rule.using ?? rule.withCheck ?? '')) warn(at, 'lets guests and visitors without a sign-in through: each of them has a uid');
    return [normal];
  });
}

function normalRule({ operation, operations, mode = 'permissive', pgRoles = ['public'], ...rule }: SecurityRule, path: string, columnOf: (property: string) => string | undefined, model: Model, report: Report): NormalRule {
  const ownerColumn = rule.ownerField === undefined ? undefined : columnOf(rule.ownerField);
  if (rule.ownerField !== undefined && ownerColumn === undefined && !model.broken.has(rule.ownerField)) report(`${path}.ownerField`, `${model.slug} has no property ${rule.ownerField} with a column`);
  const all = operations ?? [operation ?? 'all'];
  return { ...rule, operations: all.includes('all') ? ['all'] : all, mode, pgRoles, ...(ownerColumn !== undefined && { ownerColumn }) };
}

function checkForm(rule: SecurityRule, { operations, mode, roles }: NormalRule, path: string, report: Report): void {
  refuseOfRule(path, rule, report);
  const forms = [rule.ownerField !== undefined && 'ownerField', rule.access !== undefined && 'access', (rule.using ?? rule.withCheck) !== undefined && 'using/withCheck'].filter(form => form !== false);
  if (forms.length > 1) report(path, `says who in ${forms.length} ways: ${forms.join(', ')}; one rule, one way`);
  if (rule.withCheck !== undefined && rule.using === undefined && operations.some(operation => operation !== 'insert')) report(`${path}.using`, 'is missing: withCheck alone is for insert');
  if (rule.withCheck !== undefined && operations.every(operation => operation === 'select' || operation === 'delete')) report(`${path}.withCheck`, `${operations.join(' and ')} writes no row that could be checked`);
  if (mode === 'restrictive' && roles !== undefined) report(`${path}.roles`, 'cannot stand in a restrictive rule; say it in using');
}

function policyNames({ name, operations }: NormalRule): string[] {
  if (name === undefined) return [];
  return operations.length === 1 ? [name] : operations.map(operation => `${name}_${operation}`);
}
