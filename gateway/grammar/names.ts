import { ApiError } from '../error.ts';
import { isStorable } from '../storable.ts';

/**
 * A name for the shape: which names exist is the catalog's knowledge, so only what no catalog can hold is refused.
 * @throws ApiError 400 INVALID_PARAM.
 */
export function checkName(name: string, parameter: string): string {
  if (isStorable(name)) return name;
  throw new ApiError(400, 'INVALID_PARAM', `A name in "${parameter}" holds a character that no name can have.`, { parameter });
}

/** A comma list of names, trimmed, each once; undefined when it names nothing. */
export function nameList(text: string | undefined, parameter: string): string[] | undefined {
  if (text === undefined) return undefined;
  return uniqueNames(text.split(',').map(name => name.trim()).filter(name => name !== ''), parameter);
}

export function uniqueNames(names: string[], parameter: string): string[] | undefined {
  if (names.length === 0) return undefined;
  return [...new Set(names)].map(name => checkName(name, parameter));
}
