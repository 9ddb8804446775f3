import { mailConflicts } from '../config/mail-conflicts.ts';
import { contradictingAliases, givenNames, missingInProduction, readSettings, textOf, type Values } from '../config/read-settings.ts';
import { withSecretFiles } from '../config/secret-files.ts';
import type { Environment } from '../config/setting.ts';
import { readSettingsFile } from '../config/settings-file/settings-file.ts';
import type { SharedDerived } from '../config/settings.ts';
import { BootError } from '../error.ts';
import { accountConflicts } from './accounts/conflicts.ts';
import { readProviders, type Provider } from './accounts/providers/read-providers.ts';
import { issuerSettings } from './accounts/providers/settings.ts';
import { backupConflicts } from './backups/conflicts.ts';
import { dataConflicts } from './data/conflicts.ts';
import { oauthConflicts } from './oauth/conflicts.ts';
import { settings, settingsIn } from './settings.ts';
import { settingsFileSchema, validateSettingsFile, type SettingsFile } from './settings-file.ts';
import { storageSources, type StorageSourceSettings } from './storage/storage-sources.ts';
import { readWebhooks, type Webhooks } from './webhooks/webhooks.ts';

export type { Environment };

type Named = Values<typeof settings>;
/** Values that follow from several variables. */
type Derived = SharedDerived & {
  /** Whether SERVICE_COLLECTIONS_DIR was given, so that its absence is worth a warning. */
  readonly collectionsDirNamed: boolean;
  readonly swagger: boolean;
  /** Settings of the file that no variable has. */
  readonly settingsFile: SettingsFile;
  /** Where files lie: the default source, and those with a name. */
  readonly storageSources: readonly StorageSourceSettings[];
  /** Those that people may sign in with. */
  readonly providers: readonly Provider[];
  /** Private keys of access tokens, the newest first: JWT_PRIVATE_KEY, else those of the settings file. */
  readonly signingKeys: readonly { kid: string; privateKeyPem: string }[];
  /** The one that signs. */
  readonly activeKid: string | undefined;
  /** Those of the settings file, with the values of their variables. */
  readonly webhooks: Webhooks;
};
export type Config = Omit<Named, keyof Derived> & Derived;

/**
 * Reads and checks the whole environment once, at boot. Lifetimes come out in seconds, timeouts in milliseconds.
 * @throws BootError with one line a problem, no line with a value.
 */
export function readConfig(given: Environment): Config {
  const problems: string[] = [];
  const env = withSecretFiles(settingsIn(given), given, problems);
  const configFile = textOf(env, settings.configFile.name);
  const named = { path: configFile || settings.configFile.unset, isNamed: configFile !== '' };
  const file = readSettingsFile(named, { schema: settingsFileSchema, validate: validateSettingsFile }, env, problems);
  const values = readSettings(settings, env, file, problems);
  readSettings(issuerSettings(env), env, file, problems);
  problems.push(...conflicts(values, file, env));
  const storage = storageSources(env, file, { production: values.nodeEnv === 'production', forceLocalStorage: values.forceLocalStorage });
  const { providers, problems: ofProviders } = readProviders(env, file);
  problems.push(...storage.problems, ...ofProviders);
  if (problems.length > 0) throw new BootError(problems.join('\n'));
  return Object.freeze({ ...values, ...derived(values, file, env), storageSources: storage.sources, providers });
}

function conflicts(named: Named, file: SettingsFile, env: Environment): string[] {
  const { resetPasswordUrl } = file.auth?.email ?? {};
  const found = [...contradictingAliases(settings, env), ...mailConflicts({ ...named, resetPasswordUrl })];
  found.push(...accountConflicts(named, file, givenNames(settings, env)), ...dataConflicts(named), ...backupConflicts(named));
  found.push(...oauthConflicts(named));
  if (named.livenessPath === '/health') found.push('RUNTIME_LIVENESS_PATH must not be /health, which is the readiness probe.');
  return named.nodeEnv === 'production' ? [...found, ...missingInProduction(settings, env), ...openOrigins(named)] : found;
}

/** Answers carry credentials, so an open list would let any website act as its visitors. */
function openOrigins({ corsOrigins, frontendUrl }: Named): string[] {
  if (corsOrigins.includes('*')) return ['CORS_ORIGINS must list exact origins in production, not *.'];
  return corsOrigins.length === 0 && frontendUrl === undefined ? ['CORS_ORIGINS (or FRONTEND_URL) is required in production.'] : [];
}

type OfNamed = Omit<Derived, 'storageSources' | 'providers'> & Pick<Named, 'adminConnectionString'>;

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
    webhooks: readWebhooks(file.webhooks, env),
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
