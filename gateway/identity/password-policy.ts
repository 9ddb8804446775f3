import { randomInt } from 'node:crypto';
import { ApiError } from '../error.ts';

const RULES: [pattern: RegExp, says: string][] = [
  [/^.{8,}$/su, 'at least 8 characters'],
  [/\p{Lu}/u, 'a capital letter'],
  [/\p{Ll}/u, 'a small letter'],
  [/\p{Nd}/u, 'a digit'],
];

/** @throws ApiError 400 WEAK_PASSWORD naming all that it lacks. */
export function requireStrong(password: string): void {
  const lacking = RULES.filter(([pattern]) => !pattern.test(password)).map(([, says]) => says);
  if (lacking.length > 0) throw new ApiError(400, 'WEAK_PASSWORD', `The password needs ${new Intl.ListFormat('en').format(lacking)}.`);
}

/** Without letters and digits that are taken for one another. */
const [CAPITALS, SMALL, DIGITS] = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnpqrstuvwxyz', '23456789'] as const;

/** A password for a person who changes it at once: 16 characters that are easy to type. */
export function temporaryPassword(): string {
  const drawn = (from: string) => from.charAt(randomInt(from.length));
  const characters = [CAPITALS, SMALL, DIGITS, ...Array.from({ length: 13 }, () => CAPITALS + SMALL + DIGITS)].map(drawn);
  for (let last = characters.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [characters[last], characters[other]] = [characters[other] ?? '', characters[last] ?? ''];
  }
  return characters.join('');
}
