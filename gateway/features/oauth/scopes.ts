import { findScope, type ScopeEntry } from '../../config/scopes.ts';

export const SCOPES = ['data:read', 'data:write', 'data:delete'] as const;
const DEFAULT = 'data:read';
/** Older names. */
const RENAMED: Readonly<Record<string, readonly string[]>> = { 'mcp:read': ['data:read'], 'mcp:write': ['data:write', 'data:delete'] };
/** The characters of RFC 6749 section 3.3. */
const SCOPE = /^data:(?:read|write|delete)(?::[\x21\x23-\x5b\x5d-\x7e]{1,63})?$/;
const MOST = 100;

/** Those that are known, each once, in the order in which they are asked for. */
export function knownScopes(asked: string): string[] {
  const named = asked.split(' ').flatMap(scope => Object.hasOwn(RENAMED, scope) ? RENAMED[scope] ?? [] : [scope]);
  return [...new Set(named.filter(scope => SCOPE.test(scope)))].slice(0, MOST);
}

/** The same; reading where none is known. */
export function scopesOrDefault(asked: string | undefined): string {
  return knownScopes(asked ?? '').join(' ') || DEFAULT;
}

/** A scope in plain words. */
export function inWords(table: readonly ScopeEntry[], scope: string): string {
  const { entry, target } = findScope(table, scope) ?? {};
  return `${entry?.label ?? scope}${target === undefined ? '' : ` of ${target} only`}`;
}
