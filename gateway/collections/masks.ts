import { didYouMean } from '../spelling.ts';
import { type Definition, type Report } from './definition.ts';
import { columnOfProperty, type Model } from './model.ts';

/** The function of each callback. */
export function functionsOf({ callbacks = {} }: Definition): Record<string, string> {
  return Object.fromEntries(Object.entries(callbacks).map(([hook, named]) => [hook, typeof named === 'string' ? named : named.function]));
}

/** Marks the properties that afterRead is said to mask. To pass over a name would leave open what it guards. */
export function mask(model: Model, report: Report): void {
  const { afterRead } = model.definition.callbacks ?? {};
  const names = typeof afterRead === 'object' ? afterRead.masks ?? [] : [];
  for (const [i, name] of names.entries()) {
    const path = `${model.path}.callbacks.afterRead.masks[${i}]`;
    const column = columnOfProperty(model, name);
    const row = [...model.properties.values()].find(row => row.column_name === column);
    if (row === undefined) {
      if (!model.broken.has(name)) report(path, `${model.slug} has no property ${name} with a column.${didYouMean([name], known(model))}`);
    } else if (row.attributes.isId !== undefined) {
      report(path, `the key stands in every address and cursor, so ${name} cannot be masked`);
    } else {
      row.attributes.masked = true;
    }
  }
}

const known = ({ properties, foreignKeys }: Model): string[] => [...properties.keys(), ...foreignKeys.keys()];
