import { ApiError } from '../error.ts';
import { checkName } from './parameters.ts';
import { type Include } from './shape.ts';

export type Tree = Record<string, Include>;
export const maximumHops = 3;

/**
 * Reads `include`: a comma list of dotted paths, `*`, or a JSON object; undefined when it names no relation.
 * @throws ApiError 400 INVALID_INCLUDE, INCLUDE_TOO_DEEP, and the codes of what a node holds.
 */
export function parseInclude(text: string | undefined): Tree | undefined {
  if (text === undefined) return undefined;
  const tree = Object.create(null) as Tree;
  addPaths(tree, text.split(','), 1);
  return Object.keys(tree).length === 0 ? undefined : tree;
}

/** Adds dotted paths; those that begin alike share their beginning. */
export function addPaths(tree: Tree, paths: string[], depth: number): void {
  for (const path of paths) {
    if (path.trim() !== '') addPath(tree, path.split('.'), depth);
  }
}

function addPath(tree: Tree, path: string[], depth: number): void {
  if (path.length + depth > maximumHops + 1) throw tooDeep();
  path.reduce((branch, name, i) => {
    const relation = relationName(name, depth + i > 1 || path.length > 1);
    const node = (branch[relation] ??= {});
    return i === path.length - 1 ? branch : (node.include ??= Object.create(null) as Tree);
  }, tree);
}

function relationName(text: string, nested: boolean): string {
  const name = text.trim();
  if (name === '') throw invalidInclude('A path in "include" has an empty step.');
  if (name === '*' && nested) throw invalidInclude('"*" stands for the relations of the collection itself; it cannot be nested.');
  return checkName(name, 'include');
}

export function tooDeep(): ApiError {
  return new ApiError(400, 'INCLUDE_TOO_DEEP', `"include" goes deeper than ${maximumHops} hops.`, { maximum: maximumHops });
}

export const invalidInclude = (message: string): ApiError => new ApiError(400, 'INVALID_INCLUDE', message);
