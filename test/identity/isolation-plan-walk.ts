import type postgres from 'postgres';

/** As `explain (format json, verbose)` writes it; only what is read here. */
type PlanNode = {
  'Node Type': string; 'Parent Relationship'?: string; 'Relation Name'?: string; 'CTE Name'?: string; Schema?: string; Alias?: string;
  'One-Time Filter'?: string; 'Subplan Name'?: string; Plans?: PlanNode[];
};

/** The scans of tables that no One-Time Filter on the gate stands above, as `schema.table alias`. */
export function ungatedScans(plan: PlanNode): string[] {
  const initPlans = new Set(subplanNames(plan).flatMap(name => [...name.matchAll(/\$\d+/g)].map(([parameter]) => parameter)));
  return scansOutside(isGate, plan);

  /**
   * ctx.ok is spelled as the column or as the call behind it; below a CTE, before PostgreSQL 17, as the number of a
   * parameter, which is then one that no InitPlan sets.
   */
  function isGate(filter: string): boolean {
    if (/\bctx\.ok\b|\bservice\.enter\(/.test(filter)) return true;
    return [...filter.matchAll(/(?<=^|\(|AND )\$\d+(?=$|\)| AND)/g)].some(([parameter]) => !initPlans.has(parameter));
  }
}

function subplanNames(node: PlanNode): string[] {
  return [node['Subplan Name'] ?? '', ...(node.Plans ?? []).flatMap(subplanNames)];
}

export function scans(node: PlanNode): string[] {
  const here = node['Relation Name'] === undefined ? [] : [`${node.Schema ?? ''}.${node['Relation Name']}`];
  return [...here, ...(node.Plans ?? []).flatMap(scans)];
}

/** Plans the statement as service_user in a transaction of its own; nothing is run. */
export async function planOf(
  owner: postgres.Sql, text: string, parameters: readonly string[], settings: Record<string, string>,
): Promise<PlanNode> {
  const rows = await owner.begin(async transaction => {
    for (const [name, value] of Object.entries({ role: 'service_user', ...settings })) {
      await transaction`select set_config(${name}, ${value}, true)`;
    }
    await transaction.unsafe(`prepare statement as ${text}`).simple();
    const values = parameters.map(value => `'${value.replaceAll('\'', '\'\'')}'`).join(', ');
    const explained = await transaction.unsafe<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(`explain (format json,
      verbose, costs off) execute statement(${values})`).simple();
    await transaction.unsafe('deallocate statement').simple();
    return explained;
  });
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (plan === undefined) throw new Error('There is no plan.');
  return plan;
}

/**
 * The same for a write that is one statement. The table's policies are evaluated row by row, for rows from below the gate: for the plan
 * below the write. There the gate is that of the gate's CTE, by an InitPlan or in the scan of the CTE that the other rows come from; for a
 * bulk write it is the check of its items, which enters first.
 */
export function ungatedScansOfWrite(plan: PlanNode, gate: 'ctx' | 'sound' = 'ctx'): string[] {
  const nodes = nodesOf(plan);
  const gates = nodes.filter(node => node['CTE Name'] === gate && node['Subplan Name'] !== undefined).map(node =>
    parameterOf(node['Subplan Name'] ?? ''));
  const isGate = (filter: string): boolean => gates.includes(filter);
  const write = nodes.find(node => node['Node Type'] === 'ModifyTable');
  if (write === undefined) throw new Error('The plan writes nothing.');
  return (write.Plans ?? []).filter(node => node['Parent Relationship'] === 'Outer').flatMap(node => scansOutside(isGate, node));
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** `InitPlan 4` is spelled `(InitPlan 4).col1` where it is used; before PostgreSQL 17 `InitPlan 4 (returns $2)` as `$2`. */
function parameterOf(subplan: string): string {
  return /\(returns (\$\d+)\)/.exec(subplan)?.[1] ?? `(${subplan}).col1`;
}

/** The scans of tables at or below this node that no One-Time Filter of that kind stands above. */
function scansOutside(isGate: (filter: string) => boolean, node: PlanNode): string[] {
  if (isGate(node['One-Time Filter'] ?? '')) return [];
  const here = node['Relation Name'] === undefined ? [] : [`${node.Schema ?? ''}.${node['Relation Name']} ${node.Alias ?? ''}`];
  return [...here, ...(node.Plans ?? []).flatMap(child => scansOutside(isGate, child))];
}
