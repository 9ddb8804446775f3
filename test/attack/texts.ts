// Text that no PostgreSQL holds, or that is far too long, and how it gets into a body.

export const HIGH = '\ud800';
export const TEXTS: [name: string, text: string][] = [
  ['a high surrogate', HIGH], ['a low surrogate', 'a\udc00b'], ['a pair in the wrong order', '\udc00\ud800'], ['NUL', 'a\0b'],
  ['NUL alone', '\0'], ['much text', 'x'.repeat(100_000)], ['percent signs', '%ED%A0%80%'], ['a name of all objects', '__proto__'],
  ['brackets', '[{"('.repeat(100)], ['an escape as text', '\\u0000\\ud800'],
];

type Path = (string | number)[];

/** Where texts stand in a value, and where names do. */
function placesOf(value: unknown, path: Path = []): { path: Path; isName: boolean }[] {
  if (typeof value === 'string') return [{ path, isName: false }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const at = Array.isArray(value) ? Number(key) : key;
    return [...(typeof at === 'string' ? [{ path: [...path, at], isName: true }] : []), ...placesOf(item, [...path, at])];
  });
}

function replaced(value: unknown, [key, ...rest]: Path, isName: boolean, text: string): unknown {
  if (key === undefined) return text;
  const entries = Object.entries(value as object).map(([name, item]): [string, unknown] => {
    if (name !== String(key)) return [name, item];
    if (isName && rest.length === 0) return [text, item];
    return [name, replaced(item, rest, isName, text)];
  });
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

const OF_NAMES = ['a high surrogate', 'NUL', 'a name of all objects'];

/** The value with each text of it, and each name, replaced by each of TEXTS; of names by a few. */
export function spoiled(value: unknown): { value: object; about: string }[] {
  return placesOf(value).flatMap(({ path, isName }) => TEXTS.filter(([name]) => !isName || OF_NAMES.includes(name)).map(([name, text]) =>
    ({ value: replaced(value, path, isName, text) as object, about: `${path.join('.')}${isName ? ' (its name)' : ''}: ${name}` })));
}
