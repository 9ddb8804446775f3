import type { ErrorObject } from 'ajv/dist/2020.js'; // not { type … }, which would load it
import { isObject } from './json-file.ts';
import { replacement } from './moved-keys.ts';
import { type Keys, type Schema } from './schema/json-schema.ts';
import { propertyKeys, validationKeys } from './schema/properties.ts';
import { relationKeys } from './schema/relations.ts';
import { validatorOf, type Form } from './validators.ts';

/** Says what is wrong where: `posts.properties.author`, "…". */
export type Report = (path: string, problem: string) => void;

export type FormReport = { problem: Report; unknownKey: Report };
/** Where a value is wrong: the keys and indexes that lead to it. */
export type Place = string[];

/** Judges keys and types, and says where something is wrong; what a key means is not looked at. */
export function checkForm(form: Form, value: unknown, root: string, report: FormReport): Place[] {
  const validate = validatorOf(form);
  const unstorable = unstorableTexts(value);
  for (const place of unstorable) report.problem(pathOf(root, place), 'holds a character that PostgreSQL cannot store');
  if (validate(value)) return unstorable;
  const errors = (validate.errors ?? []).filter(isOfItself);
  return [...unstorable, ...errors.flatMap(error => judged(error, value, root, report))];
}

/** `posts` and [`properties`, `author`] are `posts.properties.author`; an index stands in brackets. */
function pathOf(root: string, place: Place): string {
  return place.reduce((path, key) => /^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`, root);
}

/** What is wrong with the branches of a choice is said once, by the choice. */
function isOfItself({ schemaPath, keyword }: ErrorObject, _index: number, all: ErrorObject[]): boolean {
  const choices = all.filter(choice => choice.keyword === 'anyOf');
  return keyword !== 'if' && !choices.some(choice => schemaPath.startsWith(`${choice.schemaPath}/`));
}

function judged(error: ErrorObject, value: unknown, root: string, report: FormReport): Place[] {
  const place = error.instancePath.split('/').slice(1).map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (error.keyword !== 'additionalProperties') {
    report.problem(pathOf(root, place), inWords(error));
    return [place];
  }
  const key = (error.params as { additionalProperty: string }).additionalProperty;
  const misplaced = misplacedKey(place, key, value);
  const path = pathOf(root, [...place, key]);
  if (misplaced === undefined) report.unknownKey(path, 'nobody knows this key');
  else report.problem(path, misplaced);
  return misplaced === undefined ? [] : [[...place, key]];
}

function inWords({ keyword, params, parentSchema, data, message }: ErrorObject): string {
  const expected = (parentSchema as Schema)['x-expected'];
  if (keyword === 'required') return `lacks ${(params as { missingProperty: string }).missingProperty}`;
  if (keyword === 'discriminator') return unknownTag(params as UnknownTag, parentSchema as Schema);
  if (typeof expected === 'string') return `must be ${expected}`;
  if (keyword === 'enum') return `must be one of ${((parentSchema as Schema)['enum'] as unknown[]).join(', ')}`;
  if (keyword === 'const') return `must be ${JSON.stringify((params as { allowedValue: unknown }).allowedValue)}`;
  if (keyword === 'type') return `must be ${articled(String((parentSchema as Schema)['type']))}`;
  const isEmpty = data === '' || Array.isArray(data) && data.length === 0;
  if ((keyword === 'minLength' || keyword === 'minItems') && isEmpty) return 'must not be empty';
  return message ?? keyword;
}

type UnknownTag = { error: string; tag: string; tagValue: unknown };

function unknownTag({ error, tag, tagValue }: UnknownTag, { oneOf }: Schema): string {
  const tags = (oneOf as { properties: Keys }[]).map(({ properties }) => properties[tag]);
  const known = tags.flatMap(own => (own?.['enum'] ?? [own?.['const']]) as string[]);
  if (error === 'tag') return tagValue === undefined ? `lacks ${tag}` : `${tag} must be one of ${known.join(', ')}`;
  return `unknown ${tag} ${JSON.stringify(tagValue)}; known are ${known.join(', ')}`;
}

function articled(type: string): string {
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** A key that has a place, only not here: it was renamed, or belongs to another type. To pass over it would lose what it asks for. */
function misplacedKey(place: Place, key: string, value: unknown): string | undefined {
  const scope = scopeOf(place);
  const instead = replacement(scope, key);
  const closed = closedScopes[scope];
  const owners = scope === 'property' ? ownersIn(propertyKeys, key)
    : scope === 'relation' ? Object.keys(relationKeys).filter(kind => Object.hasOwn(relationKeys[kind] ?? {}, key))
    : scope === 'validation' ? ownersIn(validationKeys, key)
    : [];
  const kinds = scope === 'relation' ? 'relations of kind' : 'properties of type';
  if (owners.length > 0) return `belongs to ${kinds} ${owners.join(', ')}, this is ${JSON.stringify(tagAt(place, value))}`;
  return instead === undefined ? closed : `has another name: ${instead}`;
}

/** Where to pass over a key would be to serve what it guards. */
const closedScopes: Readonly<Record<string, string>> = {
  rule: 'nobody knows this key, and a rule is not guessed at',
  condition: 'nobody knows this key here, and a condition is not guessed at',
  access: 'nobody knows this key; the lists are read and write',
  tenant: 'nobody knows this key; a tenant has field, from and bypassRoles',
  callbacks: 'is no hook; beforeSave, afterSave, afterRead, beforeDelete and afterDelete are',
};

function ownersIn(keys: ReadonlyMap<string, ReadonlySet<string>>, key: string): string[] {
  return [...keys].filter(([, known]) => known.has(key)).map(([type]) => type);
}

function scopeOf(place: Place): string {
  const last = place.at(-1);
  const before = place.at(-2);
  if (place.length === 0) return 'collection';
  if (/ecurityRules$/.test(place[0] ?? '') && place.length > 2) return 'condition';
  if (last === 'validation') return 'validation';
  if (last === 'relation' || before === 'relations') return 'relation';
  if (before === 'securityRules' || before === 'defaultSecurityRules') return 'rule';
  if (before === 'properties' || last === 'of') return 'property';
  return last ?? '';
}

/** The type or kind of what holds the key. */
function tagAt(place: Place, value: unknown): unknown {
  const path = scopeOf(place) === 'validation' ? place.slice(0, -1) : place;
  const holder = path.reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], value);
  return isObject(holder) ? holder['type'] ?? holder['kind'] : undefined;
}

function unstorableTexts(value: unknown, place: Place = []): Place[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [place];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => isStorable(key) ? unstorableTexts(item, [...place, key]) : [[...place, key]]);
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
