import type { JsonObject } from '../json/json-file.ts';

/**
 * The argument of `service_private.define_collections(project)`. `broken` are properties of a wrong form, `unreadable` the slugs of
 * collections that could not be read.
 */
export type Project = {
  collections: { file: string; definition: JsonObject; broken: string[] }[];
  defaults: unknown[];
  unreadable: string[];
};

/** The content of a directory of collection files, and the faults of its form. Problems and warnings are whole lines. */
export type CollectionFiles = { project: Project; problems: string[]; warnings: string[] };
