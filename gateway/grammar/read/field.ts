import { checkName } from '../names.ts';
import type { Parameters } from './parameters.ts';

/**
 * A field name as the shape has it. What follows an arrow leads into JSON, and is a value like any other:
 * `metadata->address->>city` is `metadata->$2->$3`, so that all paths of one depth share a statement. A whole number
 * may be a place in a list as well as a key, which takes another operator: `list->0` is `list->#2`. The name of a part in a field
 * with parts that are closed to somebody stays, since roles decide of it: `file->secret` is `file->.secret`.
 * @param clause where the name stands, for a refusal.
 */
export function hoistField(name: string, parameters: Parameters, clause: string): string {
  checkName(name, clause);
  const { arrowNames, partNames } = parameters.names;
  const column = columnOf(name, arrowNames);
  const segments = name.slice(column.length).split(/->>?/).slice(1);
  const hoisted = segments.map(segment => {
    if (partNames.includes(segment)) return `.${segment}`;
    const number = parameters.add(segment, { kind: 'filter', field: name });
    return /^-?\d+$/.test(segment) ? `#${number}` : `$${number}`;
  });
  return [column, ...hoisted].join('->');
}

/** What stands before the first arrow, unless that is part of a column's name. */
function columnOf(name: string, arrowNames: readonly string[]): string {
  const arrow = name.indexOf('->');
  if (arrow === -1) return name;
  for (const own of arrowNames) {
    const start = name.startsWith(own) ? 0 : name.indexOf(`.${own}`) + 1;
    const end = start + own.length;
    const isOwn = name.startsWith(own, start) && start <= arrow && (end === name.length || name.startsWith('->', end));
    if (isOwn) return name.slice(0, end);
  }
  return name.slice(0, arrow);
}
