import { isObject, type JsonObject } from '../../json/json-file.ts';
import { ApiError } from '../../error.ts';
import { idProblem, nameProblem } from './names.ts';

/** One collection as it should be. */
export type Proposal = { collectionId: string; collection: JsonObject };

/** @throws ApiError 400 INVALID_CHANGE. */
export function proposalFrom({ collectionId, collection }: JsonObject): Proposal {
  const problem = idProblem(collectionId);
  if (problem !== undefined) throw invalid('collectionId', problem);
  if (!isObject(collection)) throw invalid('collection', 'must be the whole collection as it should be, an object');
  const wrong = nameProblem(collection, 'collection');
  if (wrong !== undefined) throw invalid(wrong.path, wrong.problem);
  return { collectionId: collectionId as string, collection: { ...collection, slug: collectionId } };
}

function invalid(path: string, problem: string): ApiError {
  return new ApiError(400, 'INVALID_CHANGE', `${path} ${problem}.`, { path });
}
