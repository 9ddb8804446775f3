import pluralize from 'pluralize';

/** `orderItems`, `order-items` and `HTMLPage` are `order_items`, `order_items` and `html_page`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .replace(/[^\p{L}\p{N}_$]+/gu, '_')
    .toLowerCase();
}

/** The wire name of a column, as service.camel_case spells it. */
export function camelCase(column: string): string {
  const name = column.replaceAll('->', '_');
  if (name.startsWith('_')) return name;
  return name.split('_').map((part, i) => i === 0 ? part : capitalized(part)).join('');
}

/** The last word in the singular; words in -ss stay. */
export function singular(name: string): string {
  const [, start = '', word = ''] = /^(.*?)(\p{Lu}?[^_\p{Lu}-]*)$/su.exec(name) ?? [];
  return word === '' || word.endsWith('ss') ? name : start + pluralize.singular(word);
}

/** A label: `orderItems` is "Order items". */
export function humanize(name: string): string {
  return capitalized(snakeCase(name).replaceAll('_', ' ').trim());
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The longest identifier of PostgreSQL, in bytes. */
export const IDENTIFIER_BYTES = 63;

export function byteLength(name: string): number {
  return Buffer.byteLength(name);
}

export function quotedIdentifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** With standard_conforming_strings, the server's default, a backslash is itself: so the server stores and shows it. */
export function quotedLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
