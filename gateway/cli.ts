// The commands of the package: `rowgate start`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readEnvFile } from './config/env-file.ts';
import { settings } from './config/settings.ts';
import { BootError } from './error.ts';
import { ownHost } from './config/own-host.ts';
import { reasonOf } from './process/ending.ts';

type Flag = { type: 'boolean'; does: string };
type Command = { does: string; flags?: Record<string, Flag>; run: (flags: Record<string, unknown>) => Promise<unknown> };

const COMMANDS: Record<string, Command> = {
  start: { does: 'serve the database of DATABASE_URL, or an embedded one with its data in .data', run: () => import('./main.ts') },
  migrate: {
    does: 'bring the service\'s own schema in that database up to date, as a start does',
    flags: { plan: { type: 'boolean', does: 'change nothing: print what would run, as a script for psql' } },
    run: async ({ plan }) => (await import('./boot/migrate-command.ts')).migrateCommand({ plan: plan === true, version: version() }),
  },
  policies: {
    does: 'print what the tables that are not served need',
    flags: { suggest: { type: 'boolean', does: 'as a script for psql, with a policy for admin' } },
    run: async () => (await import('./boot/policies-command.ts')).policiesCommand(),
  },
  health: { does: 'ask the service on PORT whether it is ready; the exit code is the answer', run: health },
  vector: { does: 'build pgvector for the embedded database, where apt and a C compiler are', run: vector },
};

const OPTIONS: Record<string, () => string> = { '--help': help, '-h': help, '--version': version, '-v': version };

/** For a container's health check, which has no curl. */
async function health(): Promise<void> {
  const { port, host } = settings;
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
    'Usage: rowgate <command>',
    '',
    ...Object.entries(COMMANDS).flatMap(([name, { does, flags = {} }]) => [
      `  ${name.padEnd(9)} ${does}`,
      ...Object.entries(flags).map(([flag, { does }]) => `    --${flag.padEnd(7)}  ${does}`),
    ]),
    '',
    'The folder it is started in is the project: its collection files lie in ./collections, its migrations in ./migrations.',
    'Everything else is environment variables: docs/configuration.md, beside the program.',
  ].join('\n');
}

function version(): string {
  return (JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as { version: string }).version;
}

/** @throws with what is wrong, for an argument that the command does not take. */
async function run(command: Command, args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: command.flags ?? {} });
  try {
    readEnvFile();
    await command.run(values);
  } catch (error) {
    console.error(error instanceof BootError ? reasonOf(error) : error);
    process.exitCode = 1;
  }
}

const [name = '', ...rest] = process.argv.slice(2);
const [option, command] = [OPTIONS[name], COMMANDS[name]];
if (option !== undefined) {
  console.log(option());
} else if (command === undefined) {
  refuse(name === '' ? '' : `rowgate does not know: ${[name, ...rest].join(' ')}\n\n`);
} else {
  await run(command, rest).catch((error: unknown) => refuse(`${(error as Error).message}\n\n`));
}

function refuse(reason: string): void {
  console.error(reason + help());
  process.exitCode = 1;
}
