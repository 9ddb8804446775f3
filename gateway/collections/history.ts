import type { CollectionFiles } from './collection-files.ts';
import { without } from '../json/json-file.ts';

/** Where history is switched off no collection keeps one, regardless of its file, so that no trigger is wanted. */
export function withoutHistory(files: CollectionFiles): CollectionFiles {
  const collections = files.project.collections.map(file => ({ ...file, definition: without(file.definition, 'history') }));
  return { ...files, project: { ...files.project, collections } };
}
