import { existsSync, readFileSync } from 'node:fs';
import type postgres from 'postgres';
import { givenNames, type SettingsTable } from '../../../config/read-settings.ts';
import { fileVariables } from '../../../config/secret-files.ts';
import { sharedSettings } from '../../../config/settings.ts';
import { BootError } from '../../../error.ts';
import { printable } from '../../../process/printable.ts';
import type { AskProject } from '../../command.ts';
import { typesFile, type Contract } from './file.ts';

type Wanted = { url: string | undefined; check: string | undefined };

/**
 * `rowgate types`: the types of the served collections for `@rowgate/client`, on standard output; asked of the service at `url`, with
 * SERVICE_SERVICE_KEY, or of the project's database. With `check` nothing is printed but whether a file has them; it ends with code 2
 * where it has others.
 * @throws BootError for a service that does not answer with its contract, for a file that cannot be read, and in a folder without a
 * database.
 */
export async function typesCommand({ url, check }: Wanted, askProject: AskProject): Promise<void> {
  const wanted = check === undefined ? undefined : { path: check, text: textOf(check) };
  const print = (contract: Contract): string =>
    wanted === undefined ? typesFile(contract).trimEnd() : compared(wanted, typesFile(contract));
  if (url === undefined) {
    requireDatabase();
    return askProject('types', async owner => print(await contractIn(owner)));
  }
  console.log(print(await contractAt(url)));
}

const DATABASE: SettingsTable = { url: sharedSettings.databaseUrl };

/** In the project of a front end an embedded database would be made, which has nothing to print. */
function requireDatabase(): void {
  const isNamed = givenNames(DATABASE, process.env).length > 0 || fileVariables(DATABASE).some(name => process.env[name]?.trim());
  if (isNamed || existsSync('.data/postgres')) return;
  throw new BootError('There is no database in this folder: name a service by --url, or a database by DATABASE_URL, or run this in the '
    + 'folder of a project that was started once.');
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replaceAll('\r\n', '\n'); // as git checks it out on Windows
  } catch (error) {
    throw new BootError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function compared({ path, text }: { path: string; text: string }, current: string): string {
  if (text === current) return `${path} has the types of the schema.`;
  process.exitCode = 2;
  return `${path} has the types of another schema: rowgate types > ${path}`;
}

async function contractIn(owner: postgres.Sql): Promise<Contract> {
  const [row] = await owner<{ contract: Contract }[]>`select service.contract() as contract`;
  if (row === undefined) throw new Error('service.contract() returned nothing.');
  return row.contract;
}

/** @param url the address of the service, or that of its API, which ends in its base path. */
async function contractAt(url: string): Promise<Contract> {
  const base = /^[a-z]+:\/\/[^/]+\/?$/i.test(url) ? `${url.replace(/\/$/, '')}/api` : url.replace(/\/$/, '');
  const headers = { authorization: `Bearer ${process.env['SERVICE_SERVICE_KEY'] ?? ''}` };
  const response = await fetch(`${base}/meta/contract`, { headers }).catch((error: unknown) => {
    throw new BootError(`${base} does not answer: ${reasonOf(error)}`);
  });
  const text = await response.text();
  if (!response.ok) throw new BootError(`${base}/meta/contract: ${response.status} ${printable(text.slice(0, 500))}`);
  const contract = parsed(text);
  if (contract?.catalog === undefined) throw new BootError(`${base}/meta/contract is not the contract of this version.`);
  return contract;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

function parsed(text: string): Partial<Contract> & Contract | undefined {
  try {
    return JSON.parse(text) as Contract;
  } catch {
    return undefined;
  }
}
