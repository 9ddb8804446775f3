/** Markup as it is. Every other value in a template is text. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Markup | Markup[];

/** A template whose values are escaped, between tags and in double quotes alike. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(literals.reduce((text, literal, i) => text + shown(parts[i - 1] ?? '') + literal));
}

function shown(part: Part): string {
  if (Array.isArray(part)) return part.map(({ text }) => text).join('');
  return part instanceof Markup ? part.text : escaped(String(part));
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? '');
}
