import { isObject, type JsonObject } from '../../json/json-file.ts';
import { ApiError } from '../../error.ts';

/** One collection as it should be. */
export type Proposal = { collectionId: string; collection: JsonObject };

/** Of a collection that is edited, which may name a file. */
const ID = /^[A-Za-z0-9_-]+$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_$]*$/;

/** @throws ApiError 400 INVALID_CHANGE. */
export function proposalFrom({ collectionId, collection }: JsonObject): Proposal {
  if (!isCollectionId(collectionId)) throw invalid('collectionId', 'must match [A-Za-z0-9_-]+');
  if (!isObject(collection)) throw invalid('collection', 'must be the whole collection as it should be, an object');
  for (const key of ['table', 'schema']) requireName(`collection.${key}`, collection[key]);
  for (const [path, value] of valuesWithin(collection, 'collection')) requireName(`${path}.columnName`, value['columnName']);
  return { collectionId, collection: { ...collection, slug: collectionId } };
}

export function isCollectionId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

function requireName(path: string, value: unknown): void {
  if (value !== undefined && !(typeof value === 'string' && NAME.test(value))) throw invalid(path, 'must match [A-Za-z_][A-Za-z0-9_$]*');
}

/** As deep as a collection file may be. */
const DEEPEST = 100;

/** It and every object in it, each with its path. */
function valuesWithin(whole: JsonObject, path: string): [string, JsonObject][] {
  const found: [string, JsonObject][] = [];
  const waiting: [at: string, value: object, depth: number][] = [[path, whole, 1]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [at, value, depth] = next;
    if (depth > DEEPEST) throw invalid(at, `is nested deeper than ${DEEPEST} levels`);
    if (isObject(value)) found.push([at, value]);
    for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
      if (typeof inner === 'object' && inner !== null) waiting.push([`${at}.${key}`, inner, depth + 1]);
    }
  }
  return found;
}

function invalid(path: string, problem: string): ApiError {
  return new ApiError(400, 'INVALID_CHANGE', `${path} ${problem}.`, { path });
}
