import { styleText } from 'node:util';
import type postgres from 'postgres';
import { BootError } from '../../error.ts';
import { printable } from '../../process/printable.ts';
import type { AskProject } from '../command.ts';

type Wanted = { json: boolean; failOn: string | undefined };
type Finding = {
  id: string;
  severity: Severity;
  title: string;
  target: Record<string, string>;
  detail: string;
  impact: string;
  fix: string | null;
  confidence: 'certain' | 'heuristic';
};
/** The result of service.audit(), as far as the report uses it. */
type Audit = {
  database: { name: string };
  stats: { tables?: number; policies?: number; checksRun: number };
  findings: Finding[];
  diagnostics: { degraded: { what: string; error: string }[] };
};

/** Worst first. */
const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
type Severity = typeof SEVERITIES[number];

const COLORS = { critical: 'red', high: 'red', medium: 'yellow', low: 'cyan', info: 'gray' } as const;

/**
 * `rowgate audit`: prints the findings of service.audit(), and changes nothing. The exit code is 2 when a finding is as severe as `failOn`
 * (high) or worse, and, unless that is none, when a check could not run.
 * @throws BootError for an unknown severity, and for a database without the schema of this version.
 */
export function auditCommand({ json, failOn = 'high' }: Wanted, askProject: AskProject): Promise<void> {
  const failing = failingFrom(failOn);
  return askProject('audit', async owner => {
    const audit = await scanned(owner);
    const { findings, diagnostics: { degraded } } = audit;
    const isBad = findings.some(({ severity }) => failing.has(severity)) || (failing.size > 0 && degraded.length > 0);
    if (isBad) process.exitCode = 2;
    return json ? JSON.stringify(audit, null, 2) : reportOf(audit);
  });
}

function failingFrom(failOn: string): ReadonlySet<Severity> {
  if (failOn === 'none') return new Set();
  const last = SEVERITIES.findIndex(severity => severity === failOn);
  if (last < 0) throw new BootError(`--fail-on must be one of ${SEVERITIES.join(', ')}, none.`);
  return new Set(SEVERITIES.slice(0, last + 1));
}

async function scanned(owner: postgres.Sql): Promise<Audit> {
  const [row] = await owner<{ audit: Audit }[]>`select service.audit() as audit`;
  if (row === undefined) throw new Error('service.audit() returned nothing.');
  return row.audit;
}

function reportOf({ database, stats, findings, diagnostics: { degraded } }: Audit): string {
  const counts = SEVERITIES.map(severity => ({ severity, count: findings.filter(finding => finding.severity === severity).length }));
  const found = counts.filter(({ count }) => count > 0).map(({ severity, count }) => `${count} ${severity}`).join(', ');
  const tables = stats.tables === undefined ? [] : [`${stats.tables} tables`, `${stats.policies ?? 0} policies`];
  const looked = [`${stats.checksRun} checks`, ...tables].join(', ');
  return [
    ...findings.flatMap(finding => [...linesOf(finding), '']),
    ...degraded.map(({ what, error }) => `${what} could not be looked for: ${printable(error)}`),
    `${printable(database.name)}: ${found || (degraded.length > 0 ? 'nothing else found' : 'nothing found')} (${looked}).`,
  ].join('\n');
}

/** Names come from the project and may contain anything. */
function linesOf({ id, severity, title, target, detail, impact, fix, confidence }: Finding): string[] {
  const { schema, table, view, routine, ...parts } = target;
  const name = [schema, table ?? view ?? routine].filter(part => part !== undefined).join('.');
  const where = [name, ...Object.entries(parts).map(([part, value]) => `${part} ${value}`)].filter(text => text !== '').join(', ');
  const marked = styleText(COLORS[severity], severity.padEnd(8), { stream: process.stdout });
  return [
    `${marked} ${id}  ${printable(where)}`,
    `  ${title}${confidence === 'heuristic' ? ' (as it seems)' : ''}: ${printable(detail)}`,
    `  ${impact}`,
    ...(fix === null ? [] : fix.split('\n').map(line => `    ${printable(line)}`)),
  ];
}
