/**
 * A name may hold anything, what moves a terminal's cursor too. Line breaks, control and format characters, and halves of surrogates come
 * as JSON escapes them; of text that is JSON the value stays the same.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, character => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? unitsOf(character) : escaped;
  });
}

/** As JSON may escape it: some take two UTF-16 code units. */
function unitsOf(character: string): string {
  return character.split('').map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

/** Removes characters that move a terminal's cursor; a file gets names as they are. */
export function shown(text: string): string {
  return process.stdout.isTTY ? text.split('\n').map(printable).join('\n') : text;
}
