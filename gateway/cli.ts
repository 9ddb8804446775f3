// The commands of the package: `rowgate start`.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import { readEnvFile } from './config/env-file.ts';
import { sharedSettings } from './config/settings.ts';
import { BootError } from './error.ts';
import type { AskProject, Command, Commands, Flag } from './features/command.ts';
import { FEATURES } from './features/index.ts';
import { ownHost } from './config/own-host.ts';
import { reasonOf } from './process/ending.ts';
import { didYouMean } from './spelling.ts';
import { version } from './version.ts';

const OWN: Commands = {
  start: {
    does: 'serve the database of DATABASE_URL, or an embedded one with its data in .data',
    flags: { port: { type: 'string', short: 'p', does: 'the port, as PORT' } },
    run: ({ flags: { port } }) => {
      if (typeof port === 'string') process.env['PORT'] = port;
      return import('./main.ts');
    },
  },
  init: {
    does: 'write a first project: a collection, a migration, .env, .gitignore; existing files stay',
    takes: { words: '[folder]', most: 1 },
    run: async ({ words: [folder] }) => (await import('./commands/init.ts')).initCommand(folder),
  },
  sql: {
    does: 'run SQL as the database\'s owner: an argument, standard input, or at a prompt',
    takes: { words: '[statements]', most: 1 },
    run: async ({ words: [statements] }) => (await import('./commands/sql.ts')).sqlCommand(statements),
  },
  migrate: {
    does: 'bring the service\'s own schema in that database up to date, as a start does',
    flags: {
      plan: { type: 'boolean', does: 'change nothing: print what would run, as a script for psql' },
      check: { type: 'boolean', does: 'as --plan, and end with code 2 when something would run' },
      json: { type: 'boolean', does: 'as a JSON object: {migrations, sources} that ran, or the {script}, null when there is nothing' },
    },
    run: async ({ flags: { plan, check, json } }) => {
      const wanted = { plan: plan === true, check: check === true, json: json === true, version: version() };
      await (await import('./commands/migrate.ts')).migrateCommand(wanted);
    },
  },
  plan: {
    does: 'print the changes that the collection files ask for, the riskiest first; change nothing',
    flags: {
      json: { type: 'boolean', does: 'as a JSON array of the rows of service.schema_plan()' },
      write: { type: 'boolean', does: 'write the statements to the project\'s migrations/current.sql' },
      check: { type: 'boolean', does: 'end with code 2 when there are statements' },
    },
    run: async ({ flags: { json, write, check } }) => {
      await (await import('./commands/plan.ts')).planCommand({ json: json === true, write: write === true, check: check === true });
    },
  },
  policies: {
    does: 'print the policies that the collection files ask for, as a script for psql',
    flags: {
      json: { type: 'boolean', does: 'as a JSON array of {schema, table, name, origin, statement}' },
      suggest: { type: 'boolean', does: 'instead, a script that serves further tables, with a policy for admin' },
      matrix: { type: 'boolean', does: 'instead, what the policies in the database let each kind of caller do' },
    },
    run: async ({ flags: { json, suggest, matrix } }) => {
      const wanted = { json: json === true, suggest: suggest === true, matrix: matrix === true };
      await (await import('./commands/policies.ts')).policiesCommand(wanted);
    },
  },
  reload: {
    does: 'make every gateway of the database read its tables again, after DDL without an event trigger',
    flags: { json: { type: 'boolean', does: 'as a JSON object' } },
    run: async ({ flags: { json } }) => (await import('./commands/reload.ts')).reloadCommand({ json: json === true }),
  },
  settings: {
    does: 'print the settings that live in the database (hooks, channels, storage), and the gateways that were started with others',
    flags: { json: { type: 'boolean', does: 'as the JSON object that service.settings_report() returns' } },
    run: async ({ flags: { json } }) => (await import('./commands/settings.ts')).settingsCommand({ json: json === true }),
  },
};

const LAST: Commands = {
  health: { does: 'check whether the service on PORT is ready; the exit code is the answer', run: health },
  vector: { does: 'build pgvector for the embedded database; needs apt and a C compiler', run: vector },
  help: { does: 'print this', run: () => { console.log(help()); } },
};

/** In the order in which help shows them. */
const COMMANDS: Commands = Object.assign({}, OWN, ...FEATURES.map(({ commands }) => commands), LAST) as Commands;

const OPTIONS: Record<string, () => string> = { '--help': help, '-h': help, '--version': version, '-v': version };
const HELP: Flag = { type: 'boolean', short: 'h', does: 'print this' };

/** For a container's health check, which has no curl. */
async function health(): Promise<void> {
  const { port, host } = sharedSettings;
  const at = host.value.read(process.env['SERVICE_HOST']?.trim() ?? '') ?? host.unset;
  const response = await fetch(`http://${ownHost(at)}:${port.value.read(process.env['PORT'] ?? '') ?? port.unset}/health`);
  console.log(await response.text());
  process.exitCode = response.ok ? 0 : 1;
}

/** Run once after an installation; says in one line what came of it. */
async function vector(): Promise<void> {
  const { addVector } = await import('./embedded/embedded.ts');
  const said = await addVector();
  if (said !== undefined) console.log(said);
}

function help(): string {
  return [
    'rowgate: a REST API for a PostgreSQL database.',
    '',
    `${heading('Usage:')} rowgate <command>`,
    '',
    ...Object.entries(COMMANDS).flatMap(([name, command]) => linesOf(name, command)),
    '',
    'The folder it is started in is the project: its collection files lie in ./collections, its migrations in ./migrations.',
    'Everything else is environment variables, which may stand in ./.env: docs/configuration.md, beside the program.',
  ].join('\n');
}

function linesOf(name: string, { does, takes, flags = {} }: Command): string[] {
  return [
    `  ${[name, ...(takes ? [takes.words] : [])].join(' ').padEnd(17)} ${does}`,
    ...Object.entries(flags).map(([flag, { type, does }]) => `    ${`--${flag}${type === 'string' ? ' …' : ''}`.padEnd(15)} ${does}`),
  ];
}

/** Where the terminal has it, and NO_COLOR is not set. */
function heading(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

/** @throws with what is wrong, for an argument that the command does not take. */
async function run(name: string, command: Command, args: string[]): Promise<void> {
  const { takes, flags = {} } = command;
  const { values, positionals } = parseArgs({ args, options: { ...flags, help: HELP }, allowPositionals: true });
  const surplus = positionals.slice(takes?.most ?? 0);
  if (surplus.length > 0) throw new Error(`rowgate ${name} does not take: ${surplus.join(' ')}`);
  if (values['help'] === true) return console.log(linesOf(name, command).join('\n'));
  try {
    readEnvFile();
    const askProject: AskProject = async (...asked) => (await import('./commands/ask-project.ts')).askProject(...asked);
    await command.run({ flags: values, words: positionals }, askProject);
  } catch (error) {
    console.error(error instanceof BootError ? reasonOf(error) : error);
    process.exitCode = 1;
  }
}

if (import.meta.filename.endsWith('.js')) keepCompiled(); // the source's is kept by strip-types.mjs
const [name = '', ...rest] = process.argv.slice(2);
const [option, command] = [OPTIONS[name], COMMANDS[name]];
if (option !== undefined) {
  console.log(option());
} else if (command === undefined) {
  const meant = didYouMean([name], Object.keys(COMMANDS));
  refuse(name === '' ? '' : `rowgate does not know: ${[name, ...rest].join(' ')}.${meant}\n\n`);
} else {
  await run(name, command, rest).catch((error: unknown) => refuse(`${(error as Error).message}\n\n`));
}

/**
 * Keeps V8's compiled code of the package's modules beside them, where the folder is writable: a tenth of a start. Workers find it by the
 * variable.
 */
function keepCompiled(): void {
  enableCompileCache(process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.compiled'));
}

function refuse(reason: string): void {
  console.error(reason + help());
  process.exitCode = 1;
}
