import { existsSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { gitFolderOf, GitError, openRepository, type Repository } from '../../collections/edit/repository.ts';
import { ApiError, type ErrorCode } from '../../error.ts';
import type { SchemaOptions } from './options.ts';

/** Why something is not to be had here. */
export type Refusal = { status: number; code: ErrorCode; reason: string };

export function refusalError({ status, code, reason }: Refusal): ApiError {
  return new ApiError(status, code, reason);
}

const introspected: Refusal = {
  status: 501, code: 'SCHEMA_EDITOR_BAAS_MODE', reason: 'The tables are served as they are: there are no collection files to edit.',
};
const disabled: Refusal = { status: 501, code: 'SCHEMA_EDITOR_DISABLED', reason: 'Editing is switched off (SERVICE_SCHEMA_EDITOR=false).' };

/** Why no change can be planned. */
export function planRefusal({ project: { folder } }: SchemaOptions): Refusal | undefined {
  if (folder === undefined) return introspected;
  return existsSync(folder) ? undefined : {
    status: 501, code: 'SCHEMA_EDITING_NO_COLLECTIONS_DIR', reason: 'There is no folder of collection files (SERVICE_COLLECTIONS_DIR).',
  };
}

/** Why the editor does not write files. */
export function editorRefusal({ project: { folder }, editor, production }: SchemaOptions): Refusal | undefined {
  if (production) return inProduction('The editor, which commits nothing, is off in production.');
  if (editor === false) return disabled;
  if (folder === undefined) return introspected;
  return existsSync(folder) ? undefined : {
    status: 501, code: 'SCHEMA_EDITOR_NO_COLLECTIONS_DIR', reason: 'There is no folder of collection files (SERVICE_COLLECTIONS_DIR).',
  };
}

/** Where changes are committed, or why they cannot be. */
export async function findRepository(options: SchemaOptions): Promise<Repository | Refusal> {
  const { project, editor, production } = options;
  const early = planRefusal(options) ?? (editor === false ? disabled : undefined);
  if (early !== undefined) return early;
  if (production && editor === undefined) {
    return inProduction('Editing is off in production, unless SERVICE_SCHEMA_EDITOR=true says otherwise.');
  }
  const folder = realpathSync(project.folder ?? '.');
  const named = project.repository === undefined ? folder : resolve(project.repository);
  const place = existsSync(named) ? gitFolderOf(realpathSync(named)) : undefined;
  if (place === undefined) return noRepository(`${named} is in no git repository.`);
  if (folder !== place.root && !folder.startsWith(place.root + sep)) return noRepository(`The collection files are not in ${place.root}.`);
  return openRepository(place).catch((error: unknown): Refusal => {
    if (!(error instanceof GitError)) throw error;
    return error.missing ? { status: 501, code: 'SCHEMA_EDITOR_MISSING_DEPENDENCY', reason: error.message } : noRepository(error.message);
  });
}

function inProduction(reason: string): Refusal {
  return { status: 501, code: 'SCHEMA_EDITOR_PRODUCTION', reason };
}

function noRepository(reason: string): Refusal {
  return { status: 503, code: 'SCHEMA_EDITING_NO_REPOSITORY', reason: `Changes can be planned, and not committed: ${reason}` };
}
