import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import postgres from 'postgres';
import { databaseOf } from '../database/connection.ts';
import { isDatabaseError, type DatabaseError } from '../database/sqlstate.ts';
import { BootError } from '../error.ts';
import { printable } from '../process/printable.ts';
import { tableText } from '../process/table-text.ts';
import { joinProject } from '../start/find-project.ts';

/**
 * `rowgate sql [text]`: statements against the project's database, as its owner; without a text those of standard input, on a
 * terminal a prompt. For the embedded server, which has no psql.
 * @throws BootError for the first statement that fails, but at the prompt.
 */
export async function sqlCommand(statements: string | undefined): Promise<void> {
  const { config, url, close } = await joinProject(process.env);
  const ownerUrl = config.adminConnectionString ?? url;
  const sql = postgres(ownerUrl, {
    ...databaseOf(ownerUrl), max: 1, connection: { application_name: 'rowgate sql' },
    onnotice: ({ severity = '', message = '' }) => { console.error(printable(`${severity}: ${message}`)); },
  });
  try {
    if (statements === undefined && process.stdin.isTTY) await prompt(sql);
    else await run(sql, statements ?? await text(process.stdin));
  } finally {
    await sql.end({ timeout: 1 });
    await close();
  }
}

/** Abbreviations of the most frequent statements. */
const SHORTCUTS: Record<string, string> = {
  '\\d': `select n.nspname as schema, c.relname as name,
      case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view' else 'materialized view' end as type
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm') and n.nspname !~ '^(pg_|information_schema$|service(_private)?$|graphile_migrate$)'
    order by 1, 2`,
  '\\df': `select p.oid::regprocedure::text as function, obj_description(p.oid, 'pg_proc') as description
    from pg_proc p where p.pronamespace = 'service'::regnamespace order by 1`,
};

/** A statement ends with a semicolon at the end of a line. */
async function prompt(sql: postgres.Sql): Promise<void> {
  console.log('Statements end with a semicolon. \\d lists tables, \\df the service\'s functions, \\q ends.');
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' });
  let statement = '';
  lines.on('SIGINT', () => {
    if (statement === '' && lines.line === '') return lines.close();
    statement = '';
    lines.write(null, { ctrl: true, name: 'u' });
    console.log();
    lines.setPrompt('> ');
    lines.prompt();
  });
  lines.prompt();
  for await (const line of lines) {
    const word = line.trim();
    if (statement === '' && word === '\\q') break;
    statement = statement === '' ? SHORTCUTS[word] ?? line : `${statement}\n${line}`;
    if (SHORTCUTS[word] !== undefined || /;\s*$/.test(statement)) {
      await run(sql, statement).catch((error: unknown) => { console.error(error instanceof BootError ? error.message : error); });
      statement = '';
    } else if (statement.trim() === '') {
      statement = '';
    }
    lines.setPrompt(statement === '' ? '> ' : '. ');
    lines.prompt();
  }
  lines.close();
}

async function run(sql: postgres.Sql, statements: string): Promise<void> {
  try {
    const answer = await sql.unsafe(statements).simple().raw() as unknown as Result | Result[];
    for (const result of isMany(answer) ? answer : [answer]) show(result);
  } catch (error) {
    throw isDatabaseError(error) ? new BootError(inWords(error, statements), { cause: error }) : error;
  }
}

type Result = (Buffer | null)[][] & { columns?: { name: string }[]; command: string | null; count: number | null };

function isMany(answer: Result | Result[]): answer is Result[] {
  return !('command' in answer);
}

/** Prints a single value bare, for scripts; else a table. */
function show(result: Result): void {
  const { columns = [], command, count } = result;
  if (columns.length === 0) {
    if (command !== null) console.log(count === null || count === 0 ? command : `${command} ${count}`);
  } else if (result.length === 1 && columns.length === 1) {
    console.log(shown(result[0]?.[0]));
  } else {
    console.log(tableText(columns.map(({ name }) => name), Array.from(result, row => row.map(shown))));
  }
}

function shown(value: Buffer | null | undefined): string {
  const found = value?.toString('utf8') ?? '';
  return process.stdout.isTTY ? found.split('\n').map(printable).join('\n') : found;
}

function inWords(error: DatabaseError & { position?: string }, statements: string): string {
  const before = error.position === undefined ? undefined : statements.slice(0, Number(error.position) - 1);
  const place = before === undefined ? '' : ` (line ${before.split('\n').length})`;
  const { code, message, detail, hint } = error;
  return [`${code}: ${message}${place}`, ...(detail ? [detail] : []), ...(hint ? [`Hint: ${hint}`] : [])].join('\n');
}
