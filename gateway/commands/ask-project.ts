import type postgres from 'postgres';
import type { Config } from '../features/config.ts';
import type { Joining } from '../features/command.ts';
import { ownerConnection } from '../database/connection.ts';
import { BootError } from '../error.ts';
import { joinProject } from '../start/find-project.ts';
import { findUpgrade } from '../start/upgrade.ts';
import { readSchema } from '../start/schema-files.ts';

/**
 * Prints what a command asks of the project in this folder, as the owner of its database.
 * @throws BootError for a database without the schema of this version.
 */
export async function askProject(
  command: string, ask: (owner: postgres.Sql, config: Config) => Promise<string>, { direct, own, anySchema }: Joining = {},
): Promise<void> {
  const { config, url, close } = await joinProject(process.env, own === true);
  const options = { connectTimeout: config.dbPoolConnectTimeout, applicationName: `rowgate ${command}` };
  const ownerUrl = config.adminConnectionString ?? url;
  const owner = ownerConnection(direct ? config.databaseDirectUrl ?? ownerUrl : ownerUrl, options, 1);
  try {
    if (anySchema !== true && await findUpgrade(owner, readSchema()) !== undefined) {
      throw new BootError('The database has not the schema of this version yet: rowgate migrate (or a start) brings it.');
    }
    console.log(await ask(owner, config));
  } finally {
    await owner.end({ timeout: 1 });
    await close();
  }
}
