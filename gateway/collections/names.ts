import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

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

/** By their endings. They stand in SQL, for introspection; the names of files are needed before there is a database. */
const PLURALS = new Map([...readFileSync(resolve(import.meta.dirname, '../../sql/catalog/plurals.sql'), 'utf8').matchAll(/'(\{[^']*\})'/g)]
  .flatMap(([, rules = '']) => Object.entries(JSON.parse(rules) as Record<string, string>)));

/** The last word in the singular, as service.singular has it. */
export function singular(name: string): string {
  const words = `_${snakeCase(name)}`;
  for (let start = 0; start < words.length; start++) {
    const single = PLURALS.get(words.slice(start));
    if (single === undefined) continue;
    const ending = words.slice(start).replace('_', '');
    return name.slice(0, -ending.length) + inCaseOf(name.slice(-ending.length), ending, single) || name;
  }
  return name;
}

function inCaseOf(written: string, ending: string, single: string): string {
  if (written === ending) return single;
  return written === capitalized(ending) ? capitalized(single) : single.toUpperCase();
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
