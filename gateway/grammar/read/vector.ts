import { ApiError } from '../../error.ts';
import { checkName } from '../names.ts';
import type { Reserved } from '../query.ts';
import type { Parameters } from './parameters.ts';
import type { ReadShape } from './shape.ts';

type Vector = NonNullable<ReadShape['vector']>;
type Distance = Vector['distance'];

const distances: ReadonlySet<string> = new Set(['cosine', 'l2', 'inner_product'] satisfies Distance[]);
const isDistance = (text: string): text is Distance => distances.has(text);

/**
 * Reads the `vector_…` parameters. Without `vector_search` the others are checked and have no effect.
 * @throws ApiError 400 INVALID_VECTOR, INVALID_VECTOR_DISTANCE, INVALID_VECTOR_THRESHOLD.
 */
export function parseVector(reserved: Reserved, parameters: Parameters): Vector | undefined {
  const vector = reserved.vector === undefined ? undefined : vectorText(reserved.vector);
  const distance = reserved.vector_distance ?? 'cosine';
  if (!isDistance(distance)) {
    throw new ApiError(400, 'INVALID_VECTOR_DISTANCE', `"vector_distance" is not one of ${[...distances].join(', ')}.`, { distance });
  }
  const threshold = reserved.vector_threshold === undefined ? undefined : thresholdText(reserved.vector_threshold);
  if (reserved.vector_search === undefined) return undefined;
  if (vector === undefined) throw invalidVector('"vector_search" needs "vector".');
  const property = checkName(reserved.vector_search, 'vector_search');
  const search: Vector = { property, param: parameters.add(vector, { kind: 'vector' }), distance };
  if (threshold !== undefined) search.threshold = parameters.add(threshold, { kind: 'vector' });
  return search;
}

function vectorText(text: string): string {
  const numbers = readJson(text);
  if (!Array.isArray(numbers) || numbers.length === 0 || !numbers.every(Number.isFinite)) {
    throw invalidVector('"vector" is not a JSON array of numbers.');
  }
  return `[${numbers.join(',')}]`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function thresholdText(text: string): string {
  const threshold = /^[0-9.eE+-]+$/.test(text) ? Number(text) : NaN;
  if (Number.isFinite(threshold)) return String(threshold);
  throw new ApiError(400, 'INVALID_VECTOR_THRESHOLD', '"vector_threshold" is not a number.', { threshold: text });
}

const invalidVector = (message: string): ApiError => new ApiError(400, 'INVALID_VECTOR', message);
