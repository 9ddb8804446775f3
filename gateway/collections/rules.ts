import { checkLength } from './allowed-names.ts';
import { type SecurityRule, type Report } from './definition.ts';
import { columnOfProperty, type Model } from './model.ts';

/** A rule with its defaults; `ownerColumn` is the column of its ownerField. */
export type NormalRule = Omit<SecurityRule, 'operation'> & {
  operations: string[];
  mode: string;
  pgRoles: string[];
  ownerColumn?: string;
};
type Warn = Report;
/** A null is a rule that is wrong in itself. */
export type GivenRules = (SecurityRule | null)[];

const DEFAULT_POLICIES = ['_default_admin', '_default_self_read', '_require_admin_write'];
/** True for guests and for visitors without a sign-in: who writes it usually means people. */
const ANYBODY = /^\(*\s*\(?\s*(select\s+)?(service|auth)\.uid\(\)\s*\)?\s+is\s+not\s+null\s*\)*$/i;

/** The rules of a collection, and where they stand. */
export function normalRules(rules: GivenRules, { model, path }: { model: Model; path: string }, report: Report, warn: Warn): NormalRule[] {
  const names = new Set<string>();
  return rules.flatMap((rule, i) => {
    if (rule === null) return [];
    const at = `${path}[${i}]`;
    const normal = normalRule(rule, at, model, report);
    checkRule(rule, normal, at, report);
    for (const name of policyNames(normal)) {
      checkLength(`${at}.name`, name, 'the policy', report);
      if (names.has(name)) report(`${at}.name`, `two policies are named ${name}`);
      if (DEFAULT_POLICIES.some(suffix => name === model.table + suffix)) report(`${at}.name`, `${name} is a policy of the service`);
      names.add(name);
    }
    if (ANYBODY.test(rule.using ?? rule.withCheck ?? '')) {
      warn(at, 'lets guests and visitors without a sign-in through: each of them has a uid');
    }
    return [normal];
  });
}

function normalRule(given: SecurityRule, path: string, model: Model, report: Report): NormalRule {
  const { operation, operations, mode = 'permissive', pgRoles = ['public'], ...rule } = given;
  const { ownerField } = rule;
  const ownerColumn = ownerField === undefined ? undefined : columnOfProperty(model, ownerField);
  if (ownerField !== undefined && ownerColumn === undefined && !model.broken.has(ownerField)) {
    report(`${path}.ownerField`, `${model.slug} has no property ${ownerField} with a column`);
  }
  const all = operations ?? [operation ?? 'all'];
  return { ...rule, operations: all.includes('all') ? ['all'] : all, mode, pgRoles, ...(ownerColumn !== undefined && { ownerColumn }) };
}

function checkRule(rule: SecurityRule, { operations, mode, roles }: NormalRule, path: string, report: Report): void {
  const { ownerField, access, condition, using, withCheck } = rule;
  const forms = { ownerField, access, condition, 'using/withCheck': using ?? withCheck };
  const ways = Object.entries(forms).filter(([, way]) => way !== undefined);
  if (ways.length > 1) report(path, `says who in ${ways.length} ways: ${ways.map(([way]) => way).join(', ')}; one rule, one way`);
  if (withCheck !== undefined && using === undefined && operations.some(operation => operation !== 'insert')) {
    report(`${path}.using`, 'is missing: withCheck alone is for insert');
  }
  if (withCheck !== undefined && operations.every(operation => operation === 'select' || operation === 'delete')) {
    report(`${path}.withCheck`, `${operations.join(' and ')} writes no row that could be checked`);
  }
  if (mode === 'restrictive' && roles !== undefined) report(`${path}.roles`, 'cannot stand in a restrictive rule; say it in condition');
}

function policyNames({ name, operations }: NormalRule): string[] {
  if (name === undefined) return [];
  return operations.length === 1 ? [name] : operations.map(operation => `${name}_${operation}`);
}
