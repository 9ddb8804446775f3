import { BootError } from '../error.ts';
import { captchaConflicts } from './captcha-conflicts.ts';
import { mailConflicts } from './mail-conflicts.ts';
import { findScope, scopeTable } from './scopes.ts';
import { withSecretFiles } from './secret-files.ts';
import { settings, type Environment, type Setting } from './settings.ts';
import { readSettingsFile } from './settings-file/settings-file.ts';
import type { SettingsFile } from './settings-file/type.ts';
import { storageSources, type StorageSourceSettings } from './storage-sources.ts';
import { isOurExample } from './weak-secrets.ts';

export { type Environment } from './settings.ts';

type Settings = typeof settings;
type Named = { readonly [Key in keyof Settings]: Settings[Key] extends Setting<infer T, infer Unset> ? T | Unset : never };
/** What follows from the variables taken together. */
type Derived = {
  readonly production: boolean;
  /** Whether PORT was given, so that no other port may be taken in its place. */
  readonly portNamed: boolean;
  /** Whether SERVICE_COLLECTIONS_DIR was given, so that its absence is worth a warning. */
  readonly collectionsDirNamed: boolean;
  /** Exact origins that browsers may call from: CORS_ORIGINS and the origin of FRONTEND_URL. */
  readonly allowedOrigins: readonly string[];
  readonly swagger: boolean;
  /** What stands in the settings file and in no variable. */
  readonly settingsFile: SettingsFile;
  /** Where files lie: the default source, and those with a name. */
  readonly storageSources: readonly StorageSourceSettings[];
  /** Private keys of access tokens, the newest first: JWT_PRIVATE_KEY, else those of the settings file. */
  readonly signingKeys: readonly { kid: string; privateKeyPem: string }[];
  /** The one that signs. */
  readonly activeKid: string | undefined;
};
export type Config = Omit<Named, keyof Derived> & Derived;

/**
 * Reads and checks the whole environment once, at boot. Lifetimes come out in seconds, timeouts in milliseconds.
 * @throws BootError with one line a problem, no line with a value.
 */
export function readConfig(given: Environment): Config {
  const problems: string[] = [];
  const env = withSecretFiles(given, problems);
  const configFile = textOf(env, settings.configFile.name);
  const file = readSettingsFile(configFile || settings.configFile.unset, configFile !== '', env, problems);
  const named = readNamed(env, file, problems);
  problems.push(...conflicts(named, file, env));
  const storage = storageSources(env, file, { production: named.nodeEnv === 'production', forceLocalStorage: named.forceLocalStorage });
  problems.push(...storage.problems);
  if (problems.length > 0) throw new BootError(problems.join('\n'));
  return Object.freeze({ ...named, ...derived(named, file, env), storageSources: storage.sources });
}

function readNamed(env: Environment, file: SettingsFile, problems: string[]): Named {
  const all = Object.entries<Setting<unknown, unknown>>(settings);
  const entries = all.map(([key, setting]) => [key, readSetting(setting, env, file, problems)]);
  return Object.fromEntries(entries) as Named;
}

function readSetting(setting: Setting<unknown, unknown>, env: Environment, file: SettingsFile, problems: string[]): unknown {
  const name = givenName(setting, env);
  const ofEnv = textOf(env, name);
  const given = ofEnv || (setting.key === undefined ? '' : textAt(file, setting.key));
  if (given === '') return setting.unset;
  const value = setting.value.read(given);
  const label = ofEnv === '' && setting.key !== undefined ? `${setting.key} of the settings file` : name;
  if (value === undefined) problems.push(`${label} must be ${setting.value.expected}.`);
  return value ?? setting.unset;
}

/** As a variable would have it. */
function textAt(file: SettingsFile, key: string): string {
  const found = key.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], file);
  if (typeof found === 'string') return found;
  return found === undefined ? '' : JSON.stringify(found);
}

function givenName({ name, alias }: Setting<unknown, unknown>, env: Environment): string {
  return alias !== undefined && textOf(env, name) === '' && textOf(env, alias) !== '' ? alias : name;
}

/** A blank value is unset: compose files and shells pass `NAME=` for a variable nobody filled in. */
function textOf(env: Environment, name: string): string {
  return env[name]?.trim() ?? '';
}

function conflicts(named: Named, file: SettingsFile, env: Environment): string[] {
  const found = [...contradictingAliases(env), ...mailConflicts({ ...named, resetPasswordUrl: file.auth?.email?.resetPasswordUrl })];
  found.push(...captchaConflicts(named, givenNames(env)), ...defaultRoleConflicts(named, file));
  for (const [fallback, most] of [['defaultListLimit', 'maxListLimit'], ['defaultIncludeLimit', 'maxIncludeLimit']] as const) {
    if (named[fallback] <= named[most]) continue;
    found.push(`${settings[fallback].name} (${named[fallback]}) must not be above ${settings[most].name} (${named[most]}).`);
  }
  if (named.livenessPath === '/health') found.push('RUNTIME_LIVENESS_PATH must not be /health, which is the readiness probe.');
  return named.nodeEnv === 'production' ? [...found, ...missingInProduction(env), ...ourExamples(env), ...openOrigins(named)] : found;
}

/** Whoever registers would manage the service. */
function defaultRoleConflicts({ defaultRole = '' }: Named, file: SettingsFile): string[] {
  const table = scopeTable(file);
  const managing = file.auth?.roles?.[defaultRole]?.scopes?.filter(scope => findScope(table, scope)?.entry.plane === 'admin') ?? [];
  if (managing.length === 0) return [];
  return [`AUTH_DEFAULT_ROLE: the role ${defaultRole} has ${managing.join(', ')}, which is not for everybody.`];
}

function givenNames(env: Environment): string[] {
  return Object.values(settings).map(({ name }) => name).filter(name => textOf(env, name) !== '');
}

function contradictingAliases(env: Environment): string[] {
  return Object.values<Setting<unknown, unknown>>(settings).flatMap(({ name, alias = name }) => {
    const [text, other] = [textOf(env, name), textOf(env, alias)];
    return text !== '' && other !== '' && text !== other ? [`${name} and ${alias} are one setting, but their values differ.`] : [];
  });
}

function missingInProduction(env: Environment): string[] {
  return Object.values<Setting<unknown, unknown>>(settings)
    .filter(setting => setting.production === 'required' && textOf(env, givenName(setting, env)) === '')
    .map(({ name }) => `${name} is required in production.`);
}

function ourExamples(env: Environment): string[] {
  return Object.values<Setting<unknown, unknown>>(settings)
    .filter(({ value }) => value.secret)
    .map(setting => givenName(setting, env))
    .filter(name => isOurExample(textOf(env, name)))
    .map(name => `${name} is the one of docker-compose.yml, which everyone can read. Production needs one of its own.`);
}

/** Answers carry credentials, so an open list would let any website act as its visitors. */
function openOrigins({ corsOrigins, frontendUrl }: Named): string[] {
  if (corsOrigins.includes('*')) return ['CORS_ORIGINS must list exact origins in production, not *.'];
  return corsOrigins.length === 0 && frontendUrl === undefined ? ['CORS_ORIGINS (or FRONTEND_URL) is required in production.'] : [];
}

type OfNamed = Omit<Derived, 'storageSources'> & Pick<Named, 'adminConnectionString'>;

function derived(named: Named, file: SettingsFile, env: Environment): OfNamed {
  const production = named.nodeEnv === 'production';
  return {
    production,
    portNamed: textOf(env, 'PORT') !== '',
    collectionsDirNamed: textOf(env, 'SERVICE_COLLECTIONS_DIR') !== '',
    allowedOrigins: allowedOrigins(named),
    swagger: named.swagger ?? !production,
    settingsFile: file,
    ...signing(named, file, env),
    adminConnectionString: named.adminConnectionString ?? named.databaseDirectUrl ?? named.databaseUrl,
  };
}

type Signing = Pick<Derived, 'signingKeys' | 'activeKid'>;

function signing({ jwtPrivateKey, jwtKeyId: kid }: Named, { auth = {} }: SettingsFile, env: Environment): Signing {
  if (jwtPrivateKey !== undefined) return { signingKeys: [{ kid, privateKeyPem: jwtPrivateKey }], activeKid: kid };
  const signingKeys = (auth.signingKeys ?? []).map(({ kid, privateKey }) =>
    ({ kid, privateKeyPem: typeof privateKey === 'string' ? privateKey : textOf(env, privateKey.env) }));
  return { signingKeys, activeKid: auth.activeKid ?? signingKeys[0]?.kid };
}

function allowedOrigins({ corsOrigins, frontendUrl }: Named): readonly string[] {
  const listed = corsOrigins.filter(origin => origin !== '*');
  return Object.freeze(frontendUrl === undefined ? listed : [...listed, new URL(frontendUrl).origin]);
}
