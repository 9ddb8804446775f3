/** A backslash escapes these four only; before anything else it is an ordinary character. */
function isEscape(text: string, at: number): boolean {
  return text[at] === '\\' && at + 1 < text.length && '\\,()'.includes(text.charAt(at + 1));
}

export const unescape = (text: string): string => text.includes('\\') ? text.replaceAll(/\\([\\,()])/g, '$1') : text;

/** Splits at the commas outside every parenthesis. */
export function splitParts(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (isEscape(text, i)) i++;
    else if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** How many parentheses are open behind each character. */
function depths(text: string): number[] {
  const found: number[] = [];
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (isEscape(text, i)) found[i++] = depth;
    else if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    found[i] = depth;
  }
  return found;
}

export const openParentheses = (text: string): number => depths(text).at(-1) ?? 0;

export function isBalanced(text: string): boolean {
  return depths(text).every((depth, i, all) => depth >= 0 && (i < all.length - 1 || depth === 0));
}

/** For each character the least depth from there on; the last character, which closes all, left out when the text is wrapped. */
export function lowestDepths(text: string, isWrapped: boolean): number[] {
  const found = depths(text);
  if (isWrapped) found.pop();
  for (let i = found.length - 2; i >= 0; i--) found[i] = Math.min(found[i] ?? 0, found[i + 1] ?? 0);
  return found;
}

export function withoutOuterParentheses(text: string): string {
  return text.startsWith('(') && closing(text, 0) === text.length - 1 ? text.slice(1, -1) : text;
}

/** Where the parenthesis opened at `open` closes. */
export function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (isEscape(text, i)) i++;
    else if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return -1;
}

export function firstParenthesis(text: string): number {
  for (let i = 0; i < text.length; i++) {
    if (isEscape(text, i)) i++;
    else if (text[i] === '(') return i;
  }
  return text.length;
}

/** The items between the parentheses of a list. `()` is one empty string; the empty list is written `(\)`. */
export function listItems(text: string): string[] {
  if (text === '\\') return [];
  const items: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (isEscape(text, i)) i++;
    else if (text[i] === ',') {
      items.push(unescape(text.slice(start, i)));
      start = i + 1;
    }
  }
  items.push(unescape(text.slice(start)));
  return items;
}
