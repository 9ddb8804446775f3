import type { Values } from '../../config/read-settings.ts';
import { findScope, scopeTable } from '../../config/scopes.ts';
import type { SharedSettingsFile } from '../../config/settings-file/type.ts';
import { relyingPartyConflicts } from './passkeys/relying-party.ts';
import type { accountsSettings } from './settings.ts';

type Own = Values<typeof accountsSettings>;
type Settings = Pick<Own, 'captchaProvider' | 'captchaSecret' | 'defaultRole' | 'webauthnRpId' | 'webauthnOrigins'> & {
  frontendUrl: string | undefined; publicUrl: string | undefined;
};

/** A line for each conflict among the settings of accounts. `given` are the variables that are set. */
export function accountConflicts(settings: Settings, file: SharedSettingsFile, given: readonly string[]): string[] {
  return [...captchaConflicts(settings, given), ...defaultRoleConflicts(settings, file), ...relyingPartyConflicts(settings)];
}

/** A partial configuration would leave routes open that seem protected. The site key protects nothing: a frontend may have it. */
function captchaConflicts({ captchaProvider, captchaSecret }: Settings, given: readonly string[]): string[] {
  if (captchaProvider !== undefined) return captchaSecret === undefined ? ['CAPTCHA_SECRET is required with CAPTCHA_PROVIDER.'] : [];
  return given.filter(name => /^CAPTCHA_(?!PROVIDER|SITE_KEY)/.test(name)).map(name => `${name} does nothing without CAPTCHA_PROVIDER.`);
}

/** With such a default role every new account would manage the service. */
function defaultRoleConflicts({ defaultRole = '' }: Settings, file: SharedSettingsFile): string[] {
  const table = scopeTable(file);
  const managing = file.auth?.roles?.[defaultRole]?.scopes?.filter(scope => findScope(table, scope)?.entry.plane === 'admin') ?? [];
  if (managing.length === 0) return [];
  return [`AUTH_DEFAULT_ROLE: the role ${defaultRole} has ${managing.join(', ')}, which is not for everybody.`];
}
