import { textOf } from '../../../config/read-settings.ts';
import type { Environment } from '../../../config/setting.ts';
import type { ProviderSetting, SharedSettingsFile } from '../../../config/settings-file/type.ts';
import { didYouMean } from '../../../spelling.ts';
import { ROWS, type OpenIdRow, type ProviderRow } from './rows.ts';
import { issuerNames, type Part } from './settings.ts';

export type AppleKey = { teamId: string; keyId: string; privateKeyPem: string };
/** A provider that people may sign in with here: its row, with what the settings file replaces of it. */
export type Provider<Row extends ProviderRow = ProviderRow> = Row & {
  clientId: string;
  clientSecret: string | undefined;
  /** Apple's, which signs the secret. */
  appleKey?: AppleKey;
  /** A missing `email_verified` counts as true. */
  trustEmail: boolean;
  /** Those that stand in place of the ones that its issuer publishes. */
  replaced: Pick<ProviderSetting, 'authorizationUrl' | 'tokenUrl' | 'profileUrl'>;
};
export type Providers = { providers: readonly Provider[]; problems: readonly string[] };

/** First segments of the paths below /auth, and methods of sign-in: no provider has such a name. */
export const RESERVED: ReadonlySet<string> = new Set([
  'anonymous', 'change-email', 'change-password', 'config', 'confirm-email-change', 'find-user', 'forgot-password', 'identities', 'keys',
  'link', 'login', 'logout', 'magic-link', 'me', 'mfa', 'otp', 'passkey', 'passkeys', 'password', 'refresh', 'register', 'reset-password',
  'scopes', 'send-verification', 'sessions', 'verify-email',
]);
/** A label of a domain: a placeholder address has the name in it. */
const NAME = /^[a-z\d](?:[a-z\d-]{0,38}[a-z\d])?$/;
/** Tenants that stand for many. */
const MANY_TENANTS = ['common', 'organizations', 'consumers'];
const URLS = ['issuer', 'authorizationUrl', 'tokenUrl', 'profileUrl', 'emailsUrl', 'tokenInfoUrl'] as const;

/** Reads the providers that the environment configures, with what the settings file says of them. Every problem stops the start. */
export function readProviders(env: Environment, { auth: { providers: settings = {} } = {} }: SharedSettingsFile): Providers {
  const problems: string[] = [];
  const own = issuerNames(env).map(name => ownRow(name, env, problems)).filter(row => row !== undefined);
  const known = [...ROWS.map(row => ({ row: row, prefix: `${row.name.toUpperCase()}_` })), ...own];
  const providers = known.map(({ row, prefix }) => {
    const given = Object.hasOwn(settings, row.name) ? settings[row.name] : undefined;
    return readProvider(row, reader(env, prefix), given ?? {}, problems);
  }).filter(provider => provider !== undefined);
  const configured = providers.map(({ name }) => name);
  for (const name of Object.keys(settings).filter(name => !configured.includes(name))) {
    const row = known.find(({ row }) => row.name === name);
    const says = row === undefined ? `there is no such provider.${didYouMean([name], configured)}` : `${row.prefix}CLIENT_ID is not set.`;
    problems.push(`auth.providers.${name} of the settings file: ${says}`);
  }
  return { providers, problems };
}

type Read = ((part: Part) => string) & { variable: (part: Part) => string };

function reader(env: Environment, prefix: string): Read {
  return Object.assign((part: Part) => textOf(env, prefix + part), { variable: (part: Part) => prefix + part });
}

/** The row of an issuer that only variables name. */
function ownRow(name: string, env: Environment, problems: string[]): { row: OpenIdRow; prefix: string } | undefined {
  const prefix = `SERVICE_OIDC_${name}_`;
  const read = reader(env, prefix);
  const route = name.toLowerCase().replaceAll('_', '-');
  const isTaken = RESERVED.has(route) || ROWS.some(row => row.name === route);
  if (name !== name.toUpperCase() || !NAME.test(route)) {
    problems.push(`${prefix}ISSUER: a name has 1 to 40 capital letters, digits and underscores, none of these at its ends.`);
  } else if (isTaken) {
    problems.push(`${prefix}ISSUER: /auth/${route} is the service's own; choose another name.`);
  } else if (read('ISSUER') === '') {
    problems.push(`${prefix}ISSUER is required with the other variables of this name.`);
  } else if (read('CLIENT_ID') === '') {
    problems.push(`${prefix}CLIENT_ID is required with ${prefix}ISSUER.`);
  } else {
    problems.push(...insecure(read('ISSUER')).map(problem => `${prefix}ISSUER ${problem}`));
    const scopes = ['openid', 'email', 'profile'];
    return { row: { name: route, kind: 'openid', issuer: read('ISSUER'), scopes, secretIsOptional: true }, prefix };
  }
  return undefined;
}

function readProvider(row: ProviderRow, read: Read, given: ProviderSetting, problems: string[]): Provider | undefined {
  const parts = partsOf(row);
  const missing = parts.filter(part => read(part) === '');
  const has = [...parts, 'CLIENT_SECRET' as const].filter(part => read(part) !== '');
  const [first] = has;
  if (first === undefined) return undefined;
  if (missing.length > 0) {
    problems.push(...missing.map(part => `${read.variable(part)} is required with ${read.variable(first)}.`));
    return undefined;
  }
  problems.push(...settingProblems(row, given));
  return withSetting(row, read, given);
}

function partsOf(row: ProviderRow): Part[] {
  if (row.name === 'apple') return ['CLIENT_ID', 'TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'];
  return row.kind === 'openid' && row.secretIsOptional ? ['CLIENT_ID'] : ['CLIENT_ID', 'CLIENT_SECRET'];
}

function withSetting(row: ProviderRow, read: Read, given: ProviderSetting): Provider {
  const { trustEmail, tenantId, scopes = row.scopes, authorizationUrl, tokenUrl, profileUrl, ...more } = given;
  const tenant = tenantId ?? 'common';
  const isOwnTenant = row.name === 'microsoft' && !MANY_TENANTS.includes(tenant);
  const replaced = {
    ...(authorizationUrl !== undefined && { authorizationUrl }), ...(tokenUrl !== undefined && { tokenUrl }),
    ...(profileUrl !== undefined && { profileUrl }),
  };
  return {
    ...row, ...more, scopes, replaced,
    ...(row.kind === 'openid' ? { issuer: more.issuer ?? row.issuer.replace('{tenant}', tenant) } : replaced),
    clientId: read('CLIENT_ID'),
    clientSecret: read('CLIENT_SECRET') || undefined,
    ...(row.name === 'apple' && {
      appleKey: { teamId: read('TEAM_ID'), keyId: read('KEY_ID'), privateKeyPem: read('PRIVATE_KEY').replaceAll('\\n', '\n') },
    }),
    trustEmail: trustEmail ?? isOwnTenant,
  };
}

function settingProblems(row: ProviderRow, given: ProviderSetting): string[] {
  const place = `auth.providers.${row.name}`;
  const stray = Object.keys(given).filter(key => !keysOf(row).has(key));
  return [
    ...stray.map(key => `${place}.${key} of the settings file does nothing for ${row.name}.`),
    ...URLS.flatMap(key => insecure(given[key]).map(problem => `${place}.${key} of the settings file ${problem}`)),
  ];
}

function keysOf(row: ProviderRow): ReadonlySet<string> {
  const own = row.kind === 'openid'
    ? ['issuer', 'trustEmail', ...row.tokenInfoUrl === undefined ? [] : ['tokenInfoUrl'], ...row.name === 'microsoft' ? ['tenantId'] : []]
    : row.emailsUrl === undefined ? [] : ['emailsUrl'];
  return new Set(['authorizationUrl', 'tokenUrl', 'profileUrl', 'scopes', ...own]);
}

/** The reasons why codes and tokens are not sent there. */
export function insecure(url = 'https:'): string[] {
  const { protocol = '', hostname = '', username = '', password = '' } = URL.parse(url) ?? {};
  if (username !== '' || password !== '') return ['must not have a user name or a password.'];
  const isLoopback = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return protocol === 'http:' && !isLoopback ? ['must be an https URL; http is for loopback addresses only.'] : [];
}
