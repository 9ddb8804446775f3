import type { JsonObject } from '../json/json-file.ts';

/**
 * What `service_private.define_collections(project)` takes. `broken` are properties of a wrong form, `unreadable` the slugs of
 * collections that could not be read.
 */
export type Project = {
  collections: { file: string; definition: JsonObject; broken: string[] }[];
  defaults: unknown[];
  unreadable: string[];
};

/** What a directory of collection files holds, and what is wrong with its form. Problems and warnings are whole lines. */
export type CollectionFiles = { project: Project; problems: string[]; warnings: string[] };
