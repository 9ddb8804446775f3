import { ApiError } from '../../error.ts';
import { arrayText } from '../array-text.ts';
import { isStorable } from '../../storable.ts';
import { CALLER_PARAMETERS, type ValueSource } from './shape.ts';

/**
 * The names that a path into JSON is recognised by: columns whose names contain an arrow, the longest first, and parts that roles decide
 * on.
 */
export type PathNames = Readonly<Record<'arrowNames' | 'partNames', readonly string[]>>;

/** The values of one request, numbered in the order they are added. The first comes after those of the caller. */
export class Parameters {
  readonly values: string[] = [];
  readonly sources: ValueSource[] = [];
  readonly names: PathNames;

  constructor(names: PathNames = { arrowNames: [], partNames: [] }) {
    this.names = names;
  }

  /**
   * Takes a value out of the request and returns its parameter number.
   * @throws ApiError 400 INVALID_FILTER_VALUE (an id: 404 NOT_FOUND) for text that PostgreSQL cannot hold.
   */
  add(value: string, source: ValueSource): number {
    if (!isStorable(value)) throw unstorableValue(source);
    this.sources.push(source);
    return this.values.push(value) + CALLER_PARAMETERS;
  }

  /** A list of any length is one parameter, so that all lengths share a statement. */
  addList(items: string[], source: ValueSource): [number] {
    return [this.add(arrayText(items), source)];
  }
}

function unstorableValue(source: ValueSource): ApiError {
  if (source.kind === 'id') return new ApiError(404, 'NOT_FOUND', 'There is no such row.');
  if (source.kind === 'body') return new ApiError(400, 'BAD_REQUEST', 'The body is not valid JSON.');
  return unstorableText(source.kind === 'filter' ? { field: source.field } : { parameter: 'searchString' });
}

/** Refused before the database sees it, under the SQLSTATE that the database has for it. */
export function unstorableText(where: { field: string } | { parameter: string }): ApiError {
  const [name] = Object.values(where);
  const message = `The value for "${name ?? ''}" holds a character that text cannot hold.`;
  return new ApiError(400, 'INVALID_FILTER_VALUE', message, { ...where, dbCode: '22021' });
}
