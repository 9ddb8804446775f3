import { PLACEHOLDER } from '../config/mail-templates.ts';

export type Values = Readonly<Record<string, string>>;

/** Puts values where their names stand; each goes through `shown` first. What has no value is left out. */
export function fill(text: string, values: Values, shown: (value: string) => string = value => value): string {
  return text.replace(PLACEHOLDER, (_whole, name: string) => shown(Object.hasOwn(values, name) ? values[name] as string : ''));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\'': '&#39;' };

/** For text and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] as string);
}
