import { isStorable } from '../storable.ts';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'; // not { type … }, which would load it
import { didYouMean } from '../spelling.ts';
import type { Keys, Schema } from './json-schema.ts';

/** Says what is wrong where: `posts.properties.author`, "…". */
export type Report = (path: string, problem: string) => void;

export type FormReport = { problem: Report; unknownKey: Report };
/** Where a value is wrong: the keys and indexes that lead to it. */
export type Place = string[];
/** Called for a key that has no place here, where a better message is known. */
export type Misplaced = (place: Place, key: string, value: unknown) => string | undefined;

/** Judges keys and types, and says where something is wrong; what a key means is not looked at. */
export function validateForm(
  validate: ValidateFunction, value: unknown, root: string, report: FormReport, misplaced: Misplaced = () => undefined,
): Place[] {
  const unstorable = unstorableTexts(value);
  for (const place of unstorable) report.problem(pathOf(root, place), 'holds a character that PostgreSQL cannot store');
  if (validate(value)) return unstorable;
  const errors = (validate.errors ?? []).filter(isOfItself);
  return [...unstorable, ...errors.flatMap(error => judged(error, value, root, report, misplaced))];
}

/** `posts` and [`properties`, `author`] are `posts.properties.author`; an index is in brackets. */
export function pathOf(root: string, place: Place): string {
  const path = place.reduce((path, key) => /^\d+$/.test(key) ? `${path}[${key}]` : `${path}.${key}`, root);
  return root === '' ? path.replace(/^\./, '') : path;
}

/** The faults of a choice's branches are reported once, by the choice. */
function isOfItself({ schemaPath, keyword }: ErrorObject, _index: number, all: ErrorObject[]): boolean {
  const choices = all.filter(choice => choice.keyword === 'anyOf');
  return keyword !== 'if' && !choices.some(choice => schemaPath.startsWith(`${choice.schemaPath}/`));
}

function judged(error: ErrorObject, value: unknown, root: string, report: FormReport, misplaced: Misplaced): Place[] {
  const place = error.instancePath.split('/').slice(1).map(key => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (error.keyword !== 'additionalProperties') {
    report.problem(pathOf(root, place), inWords(error));
    return [place];
  }
  const key = (error.params as { additionalProperty: string }).additionalProperty;
  const why = misplaced(place, key, value);
  const path = pathOf(root, [...place, key]);
  if (why === undefined) report.unknownKey(path, `unknown key${suggestion(key, error)}`);
  else report.problem(path, why);
  return why === undefined ? [] : [[...place, key]];
}

function suggestion(key: string, { parentSchema }: ErrorObject): string {
  const meant = didYouMean([key], Object.keys((parentSchema as { properties?: Keys }).properties ?? {}));
  return meant === '' ? '' : `.${meant}`;
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

function unstorableTexts(value: unknown, place: Place = []): Place[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [place];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => isStorable(key) ? unstorableTexts(item, [...place, key]) : [[...place, key]]);
}
