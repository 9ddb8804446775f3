import { readConfig } from '../config/config.ts';
import { ownerConnection } from '../database/connection.ts';
import { BootError } from '../error.ts';
import { printable } from '../process/printable.ts';
import { joinProject } from './find-project.ts';
import { findUpgrade } from './upgrade.ts';
import { readSchema } from './schema-files.ts';

/** `rowgate policies --suggest`: the script that would serve the tables that are not, on standard output. */
export async function policiesCommand(): Promise<void> {
  const { config, url, close } = await joinProject(readConfig(process.env));
  const options = { connectTimeout: config.dbPoolConnectTimeout, applicationName: 'rowgate policies' };
  const owner = ownerConnection(config.adminConnectionString ?? url, options, 1);
  try {
    if (await findUpgrade(owner, readSchema()) !== undefined) {
      throw new BootError('The database has not the schema of this version yet: rowgate migrate (or a start) brings it.');
    }
    const [row] = await owner<{ script: string | null }[]>`
      select service.suggested_policies(${config.introspectSchema}, ${config.unprotectedTables}) as script`;
    const script = row?.script ?? '-- Every table is served.';
    // What moves a terminal's cursor is not for a terminal; a file gets the names as they are.
    console.log(process.stdout.isTTY ? script.split('\n').map(printable).join('\n') : script);
  } finally {
    await owner.end({ timeout: 1 });
    await close();
  }
}
