/** A table as psql prints it: each row on a line, under the names of its columns. */
export function tableText(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [names, ...rows].map(row => row.map(value => value.replaceAll('\n', ' ')));
  const widths = names.map((_, i) => lines.reduce((widest, row) => Math.max(widest, row[i]?.length ?? 0), 0));
  const [head = '', ...body] = lines.map(row => row.map((value, i) => value.padEnd(widths[i] ?? 0)).join(' | ').trimEnd());
  const count = `(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`;
  return [head, widths.map(width => '-'.repeat(width)).join('-+-'), ...body, count].join('\n');
}
