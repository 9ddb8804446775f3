import { didYouMean } from '../../spelling.ts';
import type { Report } from '../../json/form.ts';
import { MAIL_KINDS, MAIL_PLACEHOLDERS, placeholdersIn } from '../mail-templates.ts';
import { findScope, RESERVED_RESOURCES, scopeTable } from '../scopes.ts';
import type { Environment } from '../setting.ts';
import type { SharedSettingsFile } from './type.ts';

type Auth = NonNullable<SharedSettingsFile['auth']>;

/** Reports what the schema cannot: names that must be there, references to other keys. */
export function validateShared({ auth = {}, email = {} }: SharedSettingsFile, env: Environment, report: Report): void {
  validateKeys(auth, env, report);
  validateScopes(auth, report);
  validateRoles(auth, report);
  for (const kind of MAIL_KINDS) {
    for (const [part, text] of Object.entries(email.templates?.[kind] ?? {})) {
      const known: readonly string[] = MAIL_PLACEHOLDERS[kind];
      for (const name of placeholdersIn(text).filter(name => !known.includes(name))) {
        const problem = `there is no placeholder {{${name}}}; known are ${known.join(', ')}.${didYouMean([name], known)}`;
        report(`email.templates.${kind}.${part}`, problem);
      }
    }
  }
}

function validateKeys({ signingKeys = [], activeKid }: Auth, env: Environment, report: Report): void {
  const kids = signingKeys.map(({ kid }) => kid);
  for (const [i, { kid, privateKey }] of signingKeys.entries()) {
    if (kids.indexOf(kid) !== i) report(`auth.signingKeys[${i}].kid`, 'another key has this name');
    if (typeof privateKey === 'object' && (env[privateKey.env]?.trim() ?? '') === '') {
      report(`auth.signingKeys[${i}].privateKey.env`, `the variable ${privateKey.env} is not set`);
    }
  }
  if (activeKid === undefined || kids.includes(activeKid)) return;
  report('auth.activeKid', `no key of signingKeys has this name.${didYouMean([activeKid], kids)}`);
}

function validateScopes({ scopes = {} }: Auth, report: Report): void {
  for (const scope of Object.keys(scopes)) {
    const [resource = ''] = scope.split(':');
    if (!/^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$/.test(scope)) report(`auth.scopes.${scope}`, 'must be a name such as project:deploy');
    else if (RESERVED_RESOURCES.has(resource)) report(`auth.scopes.${scope}`, `scopes of ${resource} are the service's own`);
  }
}

/** Checks the scopes of roles: they add to what every account may do. */
function validateRoles(auth: Auth, report: Report): void {
  const table = scopeTable({ auth });
  const known = table.filter(({ plane }) => plane !== 'data').map(({ scope }) => scope);
  for (const [role, { scopes = [] }] of Object.entries(auth.roles ?? {})) {
    if (!/^[^,]*[^,\s][^,]*$/.test(role)) report(`auth.roles.${role}`, 'must be a name without commas');
    if (['admin', 'anon', 'service'].includes(role)) report(`auth.roles.${role}`, 'this role is the service\'s own');
    for (const [i, scope] of scopes.entries()) {
      const plane = findScope(table, scope)?.entry.plane;
      const place = `auth.roles.${role}.scopes[${i}]`;
      if (plane === undefined) report(place, `there is no scope ${scope}; there are ${known.join(', ')}.${didYouMean([scope], known)}`);
      if (plane === 'data') report(place, `${scope} is what people may do anyway, as row security lets them; a role cannot give it`);
    }
  }
}
