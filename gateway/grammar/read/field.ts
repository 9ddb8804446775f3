import { checkName } from '../names.ts';
import type { Parameters } from './parameters.ts';

/**
 * A field name as the shape has it. The part after an arrow leads into JSON, and is a value like any other: `metadata->address->>city` is
 * `metadata->$2->$3`, so that all paths of one depth share a statement. A whole number may be an index as well as a key, which takes
 * another operator: `list->0` is `list->#2`. The name of a part that is closed to some roles stays, because roles decide on it:
 * `file->secret` is `file->.secret`.
 * @param clause the clause with the name, for an error.
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

/** The text before the first arrow, unless the arrow is part of a column's name. */
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
