/** PostgreSQL's text form of an array. Every item is quoted, so that none reads as NULL but null. */
export function arrayText(items: readonly (string | null)[]): string {
  return `{${items.map(item => item === null ? 'null' : `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`;
}
