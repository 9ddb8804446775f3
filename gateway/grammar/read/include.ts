import { newDictionary } from '../dictionary.ts';
import { isObject, parseJson, type JsonObject } from '../json.ts';
import { addNodes } from './include-node.ts';
import { addPaths, invalidInclude, type Tree } from './include-tree.ts';
import type { Parameters } from './parameters.ts';
import type { Include } from './shape.ts';

/**
 * Reads `include`: a comma list of dotted paths, `*`, or a JSON object; undefined when it names no relation.
 * @throws ApiError 400 INVALID_INCLUDE, INCLUDE_TOO_DEEP, and the codes of what a node holds.
 */
export function parseInclude(text: string | undefined, parameters: Parameters, maxLimit: number): Tree | undefined {
  if (text === undefined) return undefined;
  const tree = newDictionary<Include>();
  if (/^\s*\{/.test(text)) addNodes(tree, readObject(text), 1, { parameters, maxLimit });
  else addPaths(tree, text.split(','), 1);
  return Object.keys(tree).length === 0 ? undefined : tree;
}

function readObject(text: string): JsonObject {
  try {
    const json = parseJson(text);
    if (isObject(json)) return json;
  } catch (cause) {
    throw invalidInclude('"include" is not valid JSON.', cause);
  }
  throw invalidInclude('"include" is not a JSON object.');
}
