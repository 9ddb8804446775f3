import { anonymousCaller, enteringValues, serviceCaller, verifiedClaims, type Caller } from '../../../identity/caller.ts';
import type { CreatorNow, UploadRow, Uploads } from './uploads.ts';

/**
 * The caller who began an upload, with its current rights: the current caller, if it is the same, else as the database knows it
 * (`isKnown`). Undefined when it may do nothing any more.
 */
export async function creatorOf(
  { id, creator }: UploadRow, by: Caller, uploads: Pick<Uploads, 'creator'>,
): Promise<{ caller: Caller | undefined; isKnown: boolean }> {
  if (by.uid === (creator?.uid ?? anonymousCaller.uid)) return { caller: by, isKnown: true };
  const now = await uploads.creator(id);
  // The database does not know the custom claims of a token, so a rule may refuse what it would allow the creator.
  return { caller: now === null ? undefined : callerOf(now), isKnown: now === null || now.kind !== 'user' };
}

function callerOf(creator: CreatorNow): Caller {
  switch (creator.kind) {
    case 'anonymous': return anonymousCaller;
    case 'service': return serviceCaller;
    case 'user': return callerWith(creator, creator.roles, creator.isGuest, {});
    case 'key': {
      const { id, scopes } = creator;
      return { ...callerWith(creator, ['service', ...creator.roles], false, { scopes }), key: { id, scopes, rateLimit: null } };
    }
  }
}

function callerWith({ kind, uid }: { kind: 'user' | 'key'; uid: string }, roles: string[], isGuest: boolean, custom: object): Caller {
  const claims = enteringValues(kind, verifiedClaims(uid, roles, isGuest, { ...custom }));
  return { uid, roles, kind, claims, expiresAt: Infinity, isGuest };
}
