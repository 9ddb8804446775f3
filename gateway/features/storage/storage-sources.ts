import type { Environment, Setting } from '../../config/setting.ts';
import type { SettingsFile } from '../settings-file.ts';
import type { StorageSourceSetting } from './settings-file.ts';
import { DEFAULT_SOURCE } from '../../blobs/store.ts';
import { storageSettings as settings } from './settings.ts';

export type Engine = StorageSourceSetting['engine'];
export type S3Settings = {
  bucket: string; region: string; accessKeyId: string; secretAccessKey: string; endpoint: string | undefined; forcePathStyle: boolean;
};
export type GcsSettings = { bucket: string; keyFilename: string; projectId: string | undefined };

/** Where files of one source lie, or the variable that it lacks. */
export type Placed =
  | { engine: 'local'; path: string }
  | { engine: 's3'; s3: S3Settings }
  | { engine: 'gcs'; gcs: GcsSettings }
  | { engine: Engine; missing: string };
export type StorageSourceSettings = Placed & {
  key: string;
  label?: string | undefined;
  /** The engine that was asked for, where a local folder stands in for it. */
  instead?: Engine;
  maxFileSize: number | undefined;
  allowedMimeTypes: readonly string[] | undefined;
};

/** Settings that a source may have of its own, with `__` and its name appended. */
const OWN = [
  'storageType', 'storagePath', 'storageMaxFileSize', 'storageAllowedMimeTypes', 'storageBucket', 's3Bucket', 's3Region', 's3AccessKeyId',
  's3SecretAccessKey', 's3Endpoint', 's3ForcePathStyle', 'gcsBucket', 'gcsProjectId', 'gcsKeyFilename', 'googleApplicationCredentials',
] as const satisfies (keyof typeof settings)[];
/** Settings that make a source of a suffix; an account has none of them. */
const DECLARING = ['storageType', 'storagePath', 'storageBucket', 's3Bucket', 'gcsBucket'] as const satisfies (typeof OWN)[number][];

type Own = (typeof OWN)[number];
type ValueOf<Key extends Own> = (typeof settings)[Key] extends Setting<infer T, unknown> ? T : never;
type Read = <Key extends Own>(key: Key) => ValueOf<Key> | undefined;
type Declared = { key: string; suffix: string; setting: Partial<StorageSourceSetting> };
export type Mode = { production: boolean; forceLocalStorage: boolean };

/**
 * Every source of files that the environment and the settings file name, the default one first. Problems stop the start: a type without
 * a bucket, a bucket without credentials, two names of one suffix.
 */
export function storageSources(env: Environment, file: SettingsFile, mode: Mode): { sources: StorageSourceSettings[]; problems: string[] } {
  const problems: string[] = [];
  const declared = declaredSources(env, file);
  problems.push(...alike(declared));
  const sources = declared.map(source => place(source, env, mode, problems));
  return { sources, problems };
}

/** Variables that look like those of a source, and belong to none. */
export function strayVariables(env: Environment, file: SettingsFile): string[] {
  const declared = declaredSources(env, file);
  const used = new Set(declared.flatMap(({ suffix, setting: { account } }) =>
    account === undefined ? [suffix] : [suffix, suffixOf(account)]));
  return suffixed(env).filter(({ suffix }) => !used.has(suffix)).map(({ name }) => name);
}

export function suffixOf(key: string): string {
  return key.toUpperCase().replace(/[^A-Z\d]/g, '_');
}

function declaredSources(env: Environment, { storage }: SettingsFile): Declared[] {
  const { [DEFAULT_SOURCE]: ofDefault = {}, ...ofFile } = storage?.sources ?? {};
  const named = Object.entries(ofFile).map(([key, setting]) => ({ key, suffix: suffixOf(key), setting }));
  const known = new Set(named.map(({ suffix }) => suffix));
  const declaring = suffixed(env).filter(({ key, suffix }) => !known.has(suffix) && (DECLARING as readonly Own[]).includes(key));
  const ofEnv = [...new Set(declaring.map(({ suffix }) => suffix))].map(suffix => ({ key: suffix.toLowerCase(), suffix, setting: {} }));
  return [{ key: DEFAULT_SOURCE, suffix: '', setting: ofDefault }, ...named, ...ofEnv];
}

function suffixed(env: Environment): { name: string; key: Own; suffix: string }[] {
  return Object.keys(env).filter(name => textOf(env, name) !== '').flatMap(name => {
    const key = OWN.find(own => name.startsWith(`${settings[own].name}__`));
    return key === undefined ? [] : [{ name, key, suffix: name.slice(settings[key].name.length + 2) }];
  });
}

function alike(declared: Declared[]): string[] {
  const groups = [...Map.groupBy(declared, ({ suffix }) => suffix).values()].filter(group => group.length > 1);
  return groups.map(group => {
    const names = group.map(({ key }) => key).join(' and ');
    return `The storage sources ${names} would have the same variables (…__${group[0]?.suffix ?? ''}).`;
  });
}

function place(declared: Declared, env: Environment, mode: Mode, problems: string[]): StorageSourceSettings {
  const { key, suffix, setting: { label, account } } = declared;
  const own = reader(env, suffix, problems);
  // A value that was checked already is not reported twice.
  const read: Read = account === undefined ? own : name => own(name) ?? reader(env, suffixOf(account), problems)(name);
  const common = { key, label, maxFileSize: own('storageMaxFileSize'), allowedMimeTypes: own('storageAllowedMimeTypes') };
  const { placed, problem } = placedBy({ declared, own, read, mode });
  if (problem !== undefined) problems.push(problem);
  return { ...common, ...placed };
}

type Asked = { declared: Declared; own: Read; read: Read; mode: Mode };
type Found = { placed: Placed & { instead?: Engine }; problem?: string };

function placedBy(asked: Asked): Found {
  const { declared: { suffix, setting }, own } = asked;
  const both = own('s3Bucket') !== undefined && own('gcsBucket') !== undefined;
  const guessed = own('s3Bucket') !== undefined ? 's3' : own('gcsBucket') !== undefined ? 'gcs' : undefined;
  const engine = own('storageType') ?? setting.engine ?? (both ? undefined : guessed);
  const [type, s3, gcs, any] = named(suffix, 'storageType', 's3Bucket', 'gcsBucket', 'storageBucket');
  if (engine === undefined && both) return refused(`${s3} and ${gcs} are both set: ${type} says which of them is meant.`);
  if (engine === undefined && suffix !== '' && own('storageBucket') !== undefined) return refused(`${any} needs ${type}: s3 or gcs.`);
  return engine === 's3' ? inS3(asked) : engine === 'gcs' ? inGcs(asked) : local(asked);
}

function inS3(asked: Asked): Found {
  const { declared: { suffix }, own, read } = asked;
  const bucket = own('s3Bucket') ?? own('storageBucket');
  const [variable, id, secret] = named(suffix, 's3Bucket', 's3AccessKeyId', 's3SecretAccessKey');
  if (bucket === undefined) return withoutBucket(asked, 's3', variable);
  const [accessKeyId, secretAccessKey, endpoint] = [read('s3AccessKeyId'), read('s3SecretAccessKey'), read('s3Endpoint')];
  if (accessKeyId === undefined || secretAccessKey === undefined) return refused(`The bucket ${bucket} needs ${id} and ${secret}.`);
  const given = read('s3Region') ?? 'auto';
  const region = given === 'auto' ? 'us-east-1' : given; // stores without regions take this one, and not all of them another
  const s3 = { bucket, region, accessKeyId, secretAccessKey, endpoint, forcePathStyle: read('s3ForcePathStyle') ?? endpoint !== undefined };
  return { placed: { engine: 's3', s3 } };
}

function inGcs(asked: Asked): Found {
  const { declared: { suffix }, own, read } = asked;
  const bucket = own('gcsBucket') ?? own('storageBucket');
  const [variable, key, other] = named(suffix, 'gcsBucket', 'gcsKeyFilename', 'googleApplicationCredentials');
  if (bucket === undefined) return withoutBucket(asked, 'gcs', variable);
  const ofItsOwn = own('gcsKeyFilename') ?? own('googleApplicationCredentials');
  const keyFilename = ofItsOwn ?? read('gcsKeyFilename') ?? read('googleApplicationCredentials');
  if (keyFilename === undefined) return refused(`The bucket ${bucket} needs ${key} or ${other}.`);
  return { placed: { engine: 'gcs', gcs: { bucket, keyFilename, projectId: read('gcsProjectId') } } };
}

/** A type that was given as a variable is meant for this machine; what only the file declares may be bound elsewhere. */
function withoutBucket({ declared, own, mode }: Asked, engine: Engine, variable: string): Found {
  const [type, any] = named(declared.suffix, 'storageType', 'storageBucket');
  if (own('storageType') !== undefined) return refused(`${type} is ${engine}, which needs ${variable} or ${any}.`);
  if (mode.production) return { placed: { engine, missing: variable } };
  return { placed: { engine: 'local', path: pathOf(declared, own), instead: engine } };
}

function local({ declared, own, mode }: Asked): Found {
  if (mode.production && !mode.forceLocalStorage) return { placed: { engine: 'local', missing: settings.forceLocalStorage.name } };
  return { placed: { engine: 'local', path: pathOf(declared, own) } };
}

/** Beside the default one's, not in it: its folders are buckets. */
function pathOf({ suffix }: Declared, own: Read): string {
  return own('storagePath') ?? (suffix === '' ? settings.storagePath.unset : `${settings.storagePath.unset}-${suffix.toLowerCase()}`);
}

function refused(problem: string): Found {
  return { placed: { engine: 'local', missing: '' }, problem };
}

/** Problems of plain variables are reported where all settings are read. */
function reader(env: Environment, suffix: string, problems: string[]): Read {
  return <Key extends Own>(key: Key) => {
    const { name, value } = settings[key] as Setting<ValueOf<Key>, unknown>;
    const full = suffix === '' ? name : `${name}__${suffix}`;
    const text = textOf(env, full);
    if (text === '') return undefined;
    const found = value.read(text);
    const problem = `${full} must be ${value.expected}.`;
    if (found === undefined && suffix !== '' && !problems.includes(problem)) problems.push(problem);
    return found;
  };
}

function named<Keys extends Own[]>(suffix: string, ...keys: Keys): { [K in keyof Keys]: string } {
  return keys.map(key => suffix === '' ? settings[key].name : `${settings[key].name}__${suffix}`) as { [K in keyof Keys]: string };
}

function textOf(env: Environment, name: string): string {
  return env[name]?.trim() ?? '';
}
