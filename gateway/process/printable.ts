/** A name may hold anything, what moves a terminal's cursor too. Line breaks, control and format characters come as JSON escapes them. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, character => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0') ?? ''}` : escaped;
  });
}

/** Removes characters that move a terminal's cursor; a file gets names as they are. */
export function shown(text: string): string {
  return process.stdout.isTTY ? text.split('\n').map(printable).join('\n') : text;
}
