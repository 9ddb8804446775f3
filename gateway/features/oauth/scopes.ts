import { findScope, type ScopeEntry } from '../../config/scopes.ts';

export const SCOPES = ['data:read', 'data:write', 'data:delete'] as const;
/** Those of OpenID Connect, in words. */
const OPEN_ID: Readonly<Record<string, string>> = {
  openid: 'Know your account when you come back', email: 'See your email address', profile: 'See your name and picture',
};
const DEFAULT = 'data:read';
/** Older names. */
const RENAMED: Readonly<Record<string, readonly string[]>> = { 'mcp:read': ['data:read'], 'mcp:write': ['data:write', 'data:delete'] };
/** The characters of RFC 6749 section 3.3. */
const SCOPE = /^data:(?:read|write|delete)(?::[\x21\x23-\x5b\x5d-\x7e]{1,63})?$/;
const MOST = 100;

export type Scopes = {
  supported: readonly string[];
  /** Those that are known, each once, in the order in which they are asked for. */
  known: (asked: string) => string[];
  /** The same; reading where none is known. */
  orDefault: (asked: string | undefined) => string;
};

export function createScopes(hasOpenId: boolean): Scopes {
  const ofPeople = hasOpenId ? Object.keys(OPEN_ID) : [];
  return { supported: [...SCOPES, ...ofPeople], known, orDefault: asked => known(asked ?? '').join(' ') || DEFAULT };

  function known(asked: string): string[] {
    const named = asked.split(' ').flatMap(scope => Object.hasOwn(RENAMED, scope) ? RENAMED[scope] ?? [] : [scope]);
    return [...new Set(named.filter(scope => SCOPE.test(scope) || ofPeople.includes(scope)))].slice(0, MOST);
  }
}

/** A scope in plain words. */
export function inWords(table: readonly ScopeEntry[], scope: string): string {
  if (Object.hasOwn(OPEN_ID, scope)) return OPEN_ID[scope] ?? scope;
  const { entry, target } = findScope(table, scope) ?? {};
  return `${entry?.label ?? scope}${target === undefined ? '' : ` of ${target} only`}`;
}
