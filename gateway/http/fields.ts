import { ApiError } from '../error.ts';

/** One key of a body: what it must be, and the value when it is that. */
export type Field<T> = { optional?: true; expected: string; read: (given: unknown) => T | undefined };
type Fields = Record<string, Field<unknown>>;
type ValueOf<F> = F extends { optional: true } & Field<infer T> ? T | undefined : F extends Field<infer T> ? T : never;
export type Body<F extends Fields> = { [Key in keyof F]: ValueOf<F[Key]> };

/** Nothing that a text of PostgreSQL cannot hold. */
const STORABLE = /^[^\0]*$/;
/** A NUL or half a surrogate pair, as JSON.stringify writes them. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;
const ADDRESS = /^[^\s@\0]+@[^\s@\0]+$/;

export const email: Field<string> = {
  expected: 'must be an email address of at most 255 characters',
  read: given => textOf(given, 255, text => ADDRESS.test(text.trim())),
};

export const password: Field<string> = {
  expected: 'must be a text of 1 to 128 characters',
  read: given => textOf(given, 128, text => text !== ''),
};

/** What was mailed or given out, whatever it looks like. */
export const token: Field<string> = { expected: 'must be a text', read: given => textOf(given, 512, text => text !== '') };

export function text(longest: number): Field<string> {
  return { expected: `must be a text of at most ${longest} characters`, read: given => textOf(given, longest, () => true) };
}

export const webAddress: Field<string> = {
  expected: 'must be an http or https URL of at most 2048 characters',
  read: given => textOf(given, 2048, url => /^https?:$/.test(URL.parse(url)?.protocol ?? '')),
};

/** Policies read the roles as a comma list. */
const ROLE = /^[^,]*[^,\s][^,]*$/;

/** What the account of a person may be given. */
export const roleNames: Field<string[]> = {
  expected: 'must be a list of role names, without commas, other than anon and service',
  read: given => Array.isArray(given) && given.length <= 100 && given.every(isRoleName) ? [...new Set(given)] : undefined,
};

function isRoleName(given: unknown): given is string {
  return textOf(given, 128, name => ROLE.test(name)) !== undefined && given !== 'anon' && given !== 'service';
}

/** Of an account that somebody has elsewhere. */
export const newUid: Field<string> = {
  expected: 'must be a text of at most 128 characters, without blanks around it, and not a name of the service\'s own',
  read: given => textOf(given, 128, uid => uid !== '' && uid.trim() === uid && !/^(service|anonymous|anon|api-key:.*)$/.test(uid)),
};

export const flag: Field<boolean> = { expected: 'must be true or false', read: given => typeof given === 'boolean' ? given : undefined };

export const object: Field<object> = {
  expected: 'must be an object',
  read(given) {
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    return isObject && !unstorable.test(JSON.stringify(given)) ? given : undefined;
  },
};

export function optional<T>(field: Field<T>): Field<T> & { optional: true } {
  return { ...field, optional: true };
}

/** Keys that nobody knows are passed over. @throws ApiError 400 INVALID_INPUT naming every field that is wrong. */
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

/** Half a surrogate pair is no text either. */
function textOf(given: unknown, longest: number, fits: (text: string) => boolean): string | undefined {
  if (typeof given !== 'string' || given.length > longest || !STORABLE.test(given) || !given.isWellFormed()) return undefined;
  return fits(given) ? given : undefined;
}
