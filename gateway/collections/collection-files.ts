import { type CatalogRows } from '../catalog/rows.ts';

/** What a directory of collection files comes to. Problems and warnings are whole lines. */
export type CollectionFiles = {
  rows: CatalogRows;
  /** Regular expressions that are yet to be compiled, with where they stand. */
  patterns: { path: string; pattern: string }[];
  /** Text search configurations that the database is yet to be asked for, with where they stand. */
  languages: { path: string; language: string }[];
  problems: string[];
  warnings: string[];
};
