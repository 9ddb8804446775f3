/** PostgreSQL's text form of an array. Every item is quoted, so that none reads as NULL. */
export function arrayText(items: string[]): string {
  return `{${items.map(item => `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`;
}
