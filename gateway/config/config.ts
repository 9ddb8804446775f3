import { BootError } from '../error.ts';
import { mailConflicts } from './mail-conflicts.ts';
import { withSecretFiles } from './secret-files.ts';
import { settings, type Environment, type Setting } from './settings.ts';
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
};
export type Config = Omit<Named, keyof Derived> & Derived;

/**
 * Reads and checks the whole environment once, at boot. Lifetimes come out in seconds, timeouts in milliseconds.
 * @throws BootError with one line a problem, no line with a value.
 */
export function readConfig(given: Environment): Config {
  const problems: string[] = [];
  const env = withSecretFiles(given, problems);
  const named = readNamed(env, problems);
  problems.push(...conflicts(named, env));
  if (problems.length > 0) throw new BootError(problems.join('\n'));
  return Object.freeze({ ...named, ...derived(named, env) });
}

function readNamed(env: Environment, problems: string[]): Named {
  const entries = Object.entries(settings).map(([key, setting]) => [key, readSetting(setting, env, problems)]);
  return Object.fromEntries(entries) as Named;
}

function readSetting(setting: Setting<unknown, unknown>, env: Environment, problems: string[]): unknown {
  const name = givenName(setting, env);
  const given = textOf(env, name);
  if (given === '') return setting.unset;
  const value = setting.value.read(given);
  if (value === undefined) problems.push(`${name} must be ${setting.value.expected}.`);
  return value ?? setting.unset;
}

function givenName({ name, alias }: Setting<unknown, unknown>, env: Environment): string {
  return alias !== undefined && textOf(env, name) === '' && textOf(env, alias) !== '' ? alias : name;
}

/** A blank value is unset: compose files and shells pass `NAME=` for a variable nobody filled in. */
function textOf(env: Environment, name: string): string {
  return env[name]?.trim() ?? '';
}

function conflicts(named: Named, env: Environment): string[] {
  const found = [...contradictingAliases(env), ...mailConflicts(named)];
  for (const [fallback, most] of [['defaultListLimit', 'maxListLimit'], ['defaultIncludeLimit', 'maxIncludeLimit']] as const) {
    if (named[fallback] <= named[most]) continue;
    found.push(`${settings[fallback].name} (${named[fallback]}) must not be above ${settings[most].name} (${named[most]}).`);
  }
  if (named.livenessPath === '/health') found.push('RUNTIME_LIVENESS_PATH must not be /health, which is the readiness probe.');
  return named.nodeEnv === 'production' ? [...found, ...missingInProduction(env), ...ourExamples(env), ...openOrigins(named)] : found;
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

function derived(named: Named, env: Environment): Derived & Pick<Named, 'adminConnectionString'> {
  const production = named.nodeEnv === 'production';
  return {
    production,
    portNamed: textOf(env, 'PORT') !== '',
    collectionsDirNamed: textOf(env, 'SERVICE_COLLECTIONS_DIR') !== '',
    allowedOrigins: allowedOrigins(named),
    swagger: named.swagger ?? !production,
    adminConnectionString: named.adminConnectionString ?? named.databaseDirectUrl ?? named.databaseUrl,
  };
}

function allowedOrigins({ corsOrigins, frontendUrl }: Named): readonly string[] {
  const listed = corsOrigins.filter(origin => origin !== '*');
  return Object.freeze(frontendUrl === undefined ? listed : [...listed, new URL(frontendUrl).origin]);
}
