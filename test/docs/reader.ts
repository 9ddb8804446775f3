import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { ROOT } from '../harness/server.ts';
import { lendService } from '../harness/lend.ts';
import { JWT_SECRET, SERVICE_KEY, type ServiceOptions, type TestService } from '../harness/service.ts';
import { scaled } from '../harness/until.ts';
import type { Block } from './markdown.ts';
import { matchesJson, matchesText, plainTable } from './matches.ts';

/** Prerequisites of a document's examples. */
export type Setting = ServiceOptions & {
  /** Take back what each SQL block did: the blocks are alternatives. */
  alternatives?: true;
};

/** A reader who follows a document from top to bottom, with a service and a project folder. */
export type Reader = { try: (block: Block) => Promise<void> };

const ADDRESS = 'http://localhost:3001';
/** A table that SQL just changed is served when its notification has arrived. */
const PATIENCE = 5_000;
const run = promisify(execFile);

export async function createReader(t: Test, { alternatives, ...options }: Setting): Promise<Reader> {
  const service = await lendService(t, options);
  const folder = projectFolder(t);
  const setUp: string[] = hasCurl() ? [] : [`curl() { node ${join(ROOT, 'test/docs/curl.ts')} "$@"; }`];
  const major = await majorVersion(service);
  let patience = 0;
  return { try: block => block.language === 'sh' ? shell(block) : sql(block) };

  /** Blocks without an answer set variables, which the later ones of the document use. */
  async function shell({ text, line, answer }: Block): Promise<void> {
    const script = text.replaceAll(ADDRESS, service.address);
    if (answer === undefined) setUp.push(script);
    const printed = () => bash([...setUp, ...(answer === undefined ? [] : [script])].join('\n'), folder);
    await compare(t, line, printed, answer, patience);
    if (answer !== undefined) patience = 0;
  }

  async function sql({ text, line, answer }: Block): Promise<void> {
    const needed = /-- PostgreSQL (\d+)/.exec(text)?.[1];
    if (needed !== undefined && major < Number(needed)) return;
    const statements = alternatives ? `begin; ${text}; rollback` : text;
    await compare(t, line, () => printedRows(service, statements, answer), answer, 0);
    patience = PATIENCE;
  }
}

/** Prints until the answer is the documented one, or patience ends: without any, once. */
async function compare(t: Test, line: number, print: () => Promise<string>, answer: Block | undefined, patience: number): Promise<void> {
  const end = performance.now() + scaled(patience);
  let printed = await print();
  while (answer !== undefined && !isDocumented(printed, answer) && performance.now() < end) printed = await print();
  if (answer === undefined) t.pass(`line ${line} runs`);
  else if (isDocumented(printed, answer)) t.pass(`line ${line} answers as documented`);
  else t.fail(`line ${line} answers something else`, { found: printed, wanted: answer.text });
}

function isDocumented(printed: string, { language, text }: Block): boolean {
  return language === 'json' ? matchesJson(printed, text) : matchesText(plainTable(printed), plainTable(text));
}

async function bash(script: string, folder: string): Promise<string> {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
  return stdout;
}

/** The last result: for JSON its only value, for text a table like psql's. */
async function printedRows({ sql }: TestService, statements: string, answer: Block | undefined): Promise<string> {
  const session = await sql.reserve();
  const results = await session.unsafe(statements).simple().raw().finally(() => session.release()) as unknown as Result | Result[];
  if (answer === undefined) return '';
  const result = isSeveral(results) ? results.filter(({ length }) => length > 0).at(-1) : results;
  const rows = (result ?? []).map(row => row.map(value => value?.toString() ?? ''));
  if (answer.language === 'json') return rows[0]?.[0] ?? '';
  return [result?.columns?.map(({ name }) => name) ?? [], ...rows].map(row => row.join(' | ')).join('\n');
}

type Result = (Buffer | null)[][] & { columns?: { name: string }[]; command?: string };
const isSeveral = (results: Result | Result[]): results is Result[] => !('command' in results);

/** As `npm start` leaves a project behind. */
function projectFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'rowgate-docs-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, '.data'));
  writeFileSync(join(folder, '.data/secrets.json'), JSON.stringify({ jwtSecret: JWT_SECRET, serviceKey: SERVICE_KEY }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function majorVersion({ sql }: TestService): Promise<number> {
  const [row] = await sql<{ number: string }[]>`select current_setting('server_version_num') as number`;
  return Math.floor(Number(row?.number) / 10_000);
}
