import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { styleText } from 'node:util';
import type { Config } from '../features/config.ts';
import { BootError } from '../error.ts';
import { shown } from '../process/printable.ts';
import { askProject } from './ask-project.ts';
import { planFiles, type PlannedStep } from '../start/provision.ts';
import { sourceOf } from '../start/source.ts';

type Wanted = { json: boolean; write: boolean; check: boolean };

/**
 * `rowgate plan`: what the collection files ask for and the database lacks, the riskiest first; nothing is changed. With `write` the
 * statements are put into the project's migrations/current.sql, with `check` the exit code is 2 when there are any.
 * @throws BootError for files that are wrong, and for a database without the schema of this version.
 */
export function planCommand({ json, write, check }: Wanted): Promise<void> {
  return askProject('plan', async (owner, config) => {
    const source = sourceOf(config);
    if (source.kind !== 'files') throw new BootError('There are no collection files: there is nothing to compare the database with.');
    const { steps } = await planFiles(owner, source.files);
    if (write) console.error(await written(steps, config));
    if (check && steps.some(({ statement }) => statement !== null)) process.exitCode = 2;
    return json ? JSON.stringify(steps, null, 2) : told(steps);
  });
}

const RISKS = ['high', 'medium', 'low', 'none'] as const;
const COLOURS = { high: 'red', medium: 'yellow', low: 'green', none: 'green' } as const;

type Runnable = PlannedStep & { statement: string };

function told(steps: PlannedStep[]): string {
  const statements = steps.filter((step): step is Runnable => step.statement !== null);
  const differences = steps.filter(({ statement }) => statement === null);
  const byRisk = RISKS.flatMap(risk => statements.filter(step => step.risk === risk));
  if (steps.length === 0) return 'The database is what the collection files ask for.';
  return [
    `${counted(statements.length, 'statement')}, ${counted(differences.length, 'difference')} that a start leaves.`,
    ...byRisk.map(statementText),
    ...differences.map(differenceText),
  ].join('\n\n');
}

function statementText({ target, risk, lock, effect, row_estimate: rows, bytes, safer, statement, concurrent, detail }: Runnable): string {
  const colour = COLOURS[risk ?? 'none'];
  const facts = [
    ...(lock === null ? ['locks no table that is there'] : [`lock: ${lock}`]),
    ...(effect === null || effect === 'none' ? [] : [`${effect}s ${(rows ?? 0).toLocaleString('en')} rows, ${size(bytes ?? 0)}`]),
    ...(concurrent ? ['runs by itself, beside readers and writers'] : []),
    ...(detail === null ? [] : [detail]),
  ];
  return [
    styled(colour, `${(risk ?? 'none').padEnd(6)} ${shown(target)}: ${shown(facts.join('; '))}`),
    ...statement.trim().split('\n').map(line => styled(colour, `+ ${shown(line)}`)),
    ...(safer === null ? [] : [`  Safer: ${safer}`]),
  ].join('\n');
}

function differenceText({ target, verdict, detail, remedy }: PlannedStep): string {
  return [
    styled('cyan', `${verdict === 'withheld' ? 'held  ' : 'differs'} ${shown(target)}: ${shown(detail ?? '')}`),
    ...(remedy ?? '').trim().split('\n').filter(line => line !== '').map(line => `  ${shown(line)}`),
  ].join('\n');
}

/**
 * Appended to the current content, with a note of omitted steps. A statement that runs by itself cannot be in a migration with others.
 * @throws BootError where the migrations folder is not that of a project.
 */
async function written(steps: PlannedStep[], { migrationsDir, collectionsDir }: Config): Promise<string> {
  const path = join(migrationsDir ?? join(dirname(resolve(collectionsDir)), 'migrations'), 'current.sql');
  const statements = steps.filter((step): step is Runnable => step.statement !== null);
  const inOne = statements.filter(({ concurrent }) => !concurrent);
  if (statements.length === 0) return `${path}: nothing to write.`;
  const before = existsSync(path) ? readFileSync(path, 'utf8').trimEnd() : '-- Enter migration here';
  const alone = statements.filter(({ concurrent }) => concurrent).map(({ statement }) => `-- By itself: ${ended(statement)}`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${[before, ...inOne.map(({ statement }) => ended(statement)), ...alone].join('\n\n')}\n`);
  return `${path}: ${counted(inOne.length, 'statement')} written, ${counted(alone.length, 'statement')} noted that must run alone.`;
}

function ended(statement: string): string {
  return `${statement.trim().replace(/;$/, '')};`;
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function size(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${Math.round(bytes / 2 ** 20).toLocaleString('en')} MiB`;
}

function styled(colour: 'red' | 'yellow' | 'green' | 'cyan', text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}
