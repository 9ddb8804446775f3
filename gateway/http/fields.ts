import { normalAddress } from '../addresses/normal-address.ts';
import { ApiError } from '../error.ts';
import { isStorable } from '../storable.ts';

/** One key of a body: what it must be, and the value when it is that. */
export type Field<T> = { optional?: true; expected: string; read: (given: unknown) => T | undefined };
type Fields = Record<string, Field<unknown>>;
type ValueOf<F> = F extends { optional: true } & Field<infer T> ? T | undefined : F extends Field<infer T> ? T : never;
export type Body<F extends Fields> = { [Key in keyof F]: ValueOf<F[Key]> };

/** Read as its normal form. */
export const email: Field<string> = {
  expected: 'must be an email address of at most 255 characters',
  read: given => normalAddress(textOf(given, 255, () => true) ?? ''),
};

export const password: Field<string> = {
  expected: 'must be a text of 1 to 128 characters',
  read: given => textOf(given, 128, text => text !== ''),
};

/** A token that was mailed or issued, of any form. */
export const token: Field<string> = { expected: 'must be a text', read: given => textOf(given, 512, text => text !== '') };

export function text(longest: number): Field<string> {
  return { expected: `must be a text of at most ${longest} characters`, read: given => textOf(given, longest, () => true) };
}

export const webAddress: Field<string> = {
  expected: 'must be an http or https URL of at most 2048 characters',
  read: given => textOf(given, 2048, url => /^https?:$/.test(URL.parse(url)?.protocol ?? '')),
};

export const flag: Field<boolean> = { expected: 'must be true or false', read: given => typeof given === 'boolean' ? given : undefined };

/** Policies read the roles as a comma list. */
const ROLE = /^[^,]*[^,\s][^,]*$/;

/** Roles that a person's account may be given. */
export const roleNames: Field<string[]> = {
  expected: 'must be a list of role names, without commas, other than anon and service',
  read: given => Array.isArray(given) && given.length <= 100 && given.every(isRoleName) ? [...new Set(given)] : undefined,
};

function isRoleName(given: unknown): given is string {
  return textOf(given, 128, name => ROLE.test(name)) !== undefined && given !== 'anon' && given !== 'service';
}

/** Levels; PostgreSQL and JSON.stringify give up somewhere beyond. */
const DEEPEST = 100;

export const object: Field<object> = {
  expected: `must be an object, at most ${DEEPEST} levels deep`,
  read(given) {
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    return isObject && isStorableValue(given, DEEPEST) ? given : undefined;
  },
};

function isStorableValue(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.entries(value).every(([key, item]) => isStorable(key) && isStorableValue(item, levels - 1));
}

export function optional<T>(field: Field<T>): Field<T> & { optional: true } {
  return { ...field, optional: true };
}

/** Unknown keys are ignored. @throws ApiError 400 INVALID_INPUT naming every field that is wrong. */
export function readBody<const F extends Fields>(given: Record<string, unknown>, fields: F): Body<F> {
  const problems: string[] = [];
  const values = Object.entries(fields).map(([key, { optional: mayLack, expected, read }]) => {
    const sent = Object.hasOwn(given, key) ? given[key] : undefined;
    if (sent === undefined && mayLack === true) return [key, undefined];
    const value = sent === undefined ? undefined : read(sent);
    if (value === undefined) problems.push(`${key}: ${sent === undefined ? 'is required' : expected}`);
    return [key, value];
  });
  if (problems.length > 0) throw new ApiError(400, 'INVALID_INPUT', `${problems.join('. ')}.`);
  return Object.fromEntries(values) as Body<F>;
}

export function textOf(given: unknown, longest: number, fits: (text: string) => boolean): string | undefined {
  return typeof given === 'string' && given.length <= longest && isStorable(given) && fits(given) ? given : undefined;
}
