import { ApiError } from '../../error.ts';
import { newDictionary } from '../dictionary.ts';
import { checkName } from '../names.ts';
import type { Include } from './shape.ts';

/** Relations by name. */
export type Tree = Record<string, Include>;

export const maximumHops = 3;

/**
 * Adds dotted paths whose first step is `depth` hops away; those that begin alike share their beginning.
 * @throws ApiError 400 INCLUDE_TOO_DEEP, INVALID_INCLUDE.
 */
export function addPaths(tree: Tree, paths: string[], depth: number): void {
  for (const path of paths) {
    if (path.trim() !== '') addPath(tree, path.split('.'), depth);
  }
}

function addPath(tree: Tree, path: string[], depth: number): void {
  if (path.length + depth > maximumHops + 1) throw tooDeep();
  path.reduce((branch, name, i) => {
    const relation = relationName(name.trim(), depth + i > 1 || path.length > 1);
    const node = (branch[relation] ??= {});
    return i === path.length - 1 ? branch : (node.include ??= newDictionary<Include>());
  }, tree);
}

/** Checks the name of one step. Only the first step of all may be `*`. */
export function relationName(name: string, nested: boolean): string {
  if (name === '') throw invalidInclude('A path in "include" has an empty step.');
  if (name === '*' && nested) throw invalidInclude('"*" stands for the relations of the collection itself; it cannot be nested.');
  return checkName(name, 'include');
}

export function tooDeep(): ApiError {
  return new ApiError(400, 'INCLUDE_TOO_DEEP', `"include" goes deeper than ${maximumHops} hops.`, { maximum: maximumHops });
}

export function invalidInclude(message: string, cause?: unknown): ApiError {
  return new ApiError(400, 'INVALID_INCLUDE', message, undefined, { cause });
}
