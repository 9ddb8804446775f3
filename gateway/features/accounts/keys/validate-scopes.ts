import { covers, findScope, type ScopeEntry } from '../../../config/scopes.ts';
import { ApiError } from '../../../error.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Permissions } from '../../../identity/permissions.ts';

type Powers = { scopes: readonly string[]; roles: readonly string[] };
/** The targets of scopes: collections by their slugs, sources of files and functions by their names. */
export type Targets = { collections: readonly { slug: string }[]; sources: readonly string[]; functions: readonly string[] };
type Known = Record<'collection' | 'source' | 'function', ReadonlySet<string>>;

/**
 * Checks whether a key may have these scopes, regardless of its creator.
 * @throws ApiError 400 INVALID_SCOPES, KEY_MANAGEMENT_SCOPE, UNKNOWN_SCOPE_TARGET.
 */
export function validateScopes(asked: readonly string[], table: readonly ScopeEntry[], { collections, sources, functions }: Targets): void {
  const found = asked.map(scope => ({ scope, ...findScope(table, scope) }));
  const problems = found.filter(({ entry }) => entry === undefined).map(({ scope }) => ({ scope, problem: 'There is no such scope.' }));
  if (problems.length > 0) {
    const validScopes = table.filter(({ scope }) => !isOfKeys(scope)).map(spelled);
    throw new ApiError(400, 'INVALID_SCOPES', 'Some of these are no scopes.', { problems, validScopes });
  }
  const ofKeys = asked.filter(isOfKeys);
  if (ofKeys.length > 0) throw new ApiError(400, 'KEY_MANAGEMENT_SCOPE', 'No API key manages API keys.', { scopes: ofKeys });
  const known = { collection: new Set(collections.map(({ slug }) => slug)), source: new Set(sources), function: new Set(functions) };
  for (const { scope, entry, target } of found) {
    if (target === undefined || isThere(entry, target, known)) continue;
    throw new ApiError(400, 'UNKNOWN_SCOPE_TARGET', `There is no ${entry?.target} ${target}.`, { scope, target });
  }
}

/** A key never has more rights than its creator. @throws ApiError 403 SCOPE_EXCEEDS_CREATOR, ROLE_EXCEEDS_CREATOR. */
export function requireWithin(key: Powers, by: Caller, { scopes: table, held, rankOf }: Permissions): void {
  const mine = held(by);
  const beyond = key.scopes.filter(scope => {
    const { entry, target } = findScope(table, scope) ?? {};
    return entry === undefined || !covers(mine, entry.scope, target);
  });
  if (beyond.length > 0) throw new ApiError(403, 'SCOPE_EXCEEDS_CREATOR', 'A key may not do more than who makes it.', { beyond });
  const foreign = rankOf(by) === null ? [] : key.roles.filter(role => !by.roles.includes(role));
  if (foreign.length === 0) return;
  throw new ApiError(403, 'ROLE_EXCEEDS_CREATOR', 'A key has no role that who makes it lacks.', { beyond: foreign });
}

function isOfKeys(scope: string): boolean {
  return scope.startsWith('keys:');
}

function spelled({ scope, target }: ScopeEntry): string {
  return target === undefined ? scope : `${scope}[:${target}]`;
}

/** An unknown target is a misspelling. The targets of the project's own scopes are not known here. */
function isThere(entry: ScopeEntry | undefined, target: string, known: Known): boolean {
  if (entry?.plane === 'app') return true;
  const { target: kind = '' } = entry ?? {};
  return Object.hasOwn(known, kind) && known[kind as keyof Known].has(target);
}
