import { checkName } from '../names.ts';
import { type Parameters } from './parameters.ts';

/**
 * A field name as the shape has it. What follows an arrow leads into JSON, and is a value like any other:
 * `metadata->address->>city` is `metadata->$2->$3`, so that all paths of one depth share a statement. A whole number
 * may be a place in a list as well as a key, which takes another operator: `list->0` is `list->#2`.
 * @param clause where the name stands, for a refusal.
 */
export function hoistField(name: string, parameters: Parameters, clause: string): string {
  checkName(name, clause);
  const [field = '', ...segments] = name.split(/->>?/);
  const hoisted = segments.map(segment => {
    const number = parameters.add(segment, { kind: 'filter', field: name });
    return /^-?\d+$/.test(segment) ? `#${number}` : `$${number}`;
  });
  return [field, ...hoisted].join('->');
}
