import { BootError } from '../error.ts';
import { askProject, shown } from './ask-project.ts';

type Why = { words: readonly string[]; as: string | undefined; json: boolean };
type Answer = { allowed: boolean; status?: number; code?: string; reason: string };

const OPERATIONS = ['read', 'write', 'delete', 'list'];

/**
 * `rowgate storage why <operation> <key>`: whether an account may do something with a file, by the rules that the last start had, and what
 * decides. The exit code is 2 when it may not.
 * @throws BootError for a database without the schema of this version.
 */
export function storageCommand({ words: [action, operation = '', key = ''], as, json }: Why): Promise<void> {
  if (action !== 'why' || !OPERATIONS.includes(operation)) throw new BootError(`It is rowgate storage why ${OPERATIONS.join('|')} <key>.`);
  return askProject('storage', async owner => {
    const [row] = await owner<{ answer: Answer }[]>`
      select service.storage_why(${operation}, ${key}, service.account_claims(${as ?? null})) as answer`;
    if (row === undefined) throw new Error('service.storage_why() returned nothing.');
    const { answer } = row;
    if (!answer.allowed) process.exitCode = 2;
    return json ? JSON.stringify(answer, null, 2) : shown(`${answer.allowed ? 'Yes' : `No (${answer.status ?? ''})`}: ${answer.reason}.`);
  });
}
