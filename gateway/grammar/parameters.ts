import { ApiError } from '../error.ts';
import { type ValueSource } from './read/shape.ts';

/** The values of one request, numbered in the order they are added. $1 is the caller's claims, so the first is $2. */
export class Parameters {
  readonly values: string[] = [];
  readonly sources: ValueSource[] = [];

  /**
   * Takes a value out of the request and returns its parameter number.
   * @throws ApiError 400 INVALID_FILTER_VALUE (an id: 404 NOT_FOUND) for text that PostgreSQL cannot hold.
   */
  add(value: string, source: ValueSource): number {
    if (!isStorable(value)) throw unstorableValue(source);
    this.sources.push(source);
    return this.values.push(value) + 1;
  }

  /** A list is one parameter, whatever its length, so that all lengths share a statement. */
  addList(items: string[], source: ValueSource): [number] {
    return [this.add(arrayText(items), source)];
  }
}

/** PostgreSQL's text form of an array. Every item is quoted, so that none reads as NULL. */
export function arrayText(items: string[]): string {
  return `{${items.map(item => `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`;
}

/** PostgreSQL holds neither NUL nor half a surrogate pair, and JSON escapes can spell both. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

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

function unstorableValue(source: ValueSource): ApiError {
  if (source.kind === 'id') return new ApiError(404, 'NOT_FOUND', 'There is no such row.');
  return unstorableText(source.kind === 'filter' ? { field: source.field } : { parameter: 'searchString' });
}

/** Refused before the database sees it, under the SQLSTATE that the database has for it. */
export function unstorableText(where: { field: string } | { parameter: string }): ApiError {
  const [name] = Object.values(where);
  return new ApiError(400, 'INVALID_FILTER_VALUE', `The value for "${name ?? ''}" holds a character that text cannot hold.`, { ...where, dbCode: '22021' });
}
