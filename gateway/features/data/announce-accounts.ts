import type { ParsedWrite } from '../../grammar/write/shape.ts';
import { ALL_ACCOUNTS } from '../../identity/accounts.ts';
import type { DataOptions } from './options.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A write to the rows of accounts is answered when no process of this start believes what it knew of theirs. */
export async function announceAccounts(
  { shape, path, of, operations = [] }: ParsedWrite, { catalog, revoked }: DataOptions,
): Promise<void> {
  const accounts = catalog.current.document.collections.find(collection => collection.accounts);
  const written = of === 'batch' ? operations : [shape];
  if (accounts === undefined || !written.some(({ collection }) => collection === accounts.slug)) return;
  if (of === 'row' && shape.op === 'create' && shape.conflict === undefined) return; // the account has no tokens yet
  const [, id] = path;
  const isUid = of === 'row' && shape.op !== 'create' && shape.path === undefined && id !== undefined
    && (accounts.properties.find(({ name }) => name === accounts.key[0])?.sqlType === 'text' || UUID.test(id)); // a uuid has many spellings
  await revoked(isUid ? id : ALL_ACCOUNTS);
}
