/** PostgreSQL holds neither NUL nor half a surrogate pair, and JSON escapes can spell both. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
