import { createTwoFilesPatch } from 'diff';
import type postgres from 'postgres';
import { lockStatement } from '../database/exclusive.ts';
import type { SchemaFiles } from './schema-files.ts';
import { findUpgrade, stepsOf, type Step } from './upgrade.ts';

/** The script that migrate() would run in this database, for psql; undefined when there is nothing to do. */
export async function migrationScript(owner: postgres.Sql, files: SchemaFiles, version: string): Promise<string | undefined> {
  const upgrade = await findUpgrade(owner, files);
  if (upgrade === undefined) return undefined;
  const [session] = await owner<{ owner: string; database: string }[]>`
    select quote_ident(current_user) as owner, current_database() as database`;
  return [
    `-- What rowgate ${version} runs when it first starts on the database ${session?.database ?? ''}. `
      + 'To run it by hand: psql -v ON_ERROR_STOP=1 -f',
    `set role ${session?.owner ?? ''};\nbegin;\n${lockStatement};`,
    ...stepsOf(upgrade).map(step => `-- ${step.title}\n${difference(step)}${step.statement}`),
    'commit;',
  ].join('\n\n');
}

/** The change of a function that the database has already. */
function difference({ source }: Step): string {
  if (source?.before === undefined) return '';
  const patch = createTwoFilesPatch('', '', source.before, source.text, undefined, undefined, { context: 3 });
  const [, , , , ...lines] = patch.trimEnd().split('\n');
  return lines.map(line => `-- ${line}\n`).join('');
}
