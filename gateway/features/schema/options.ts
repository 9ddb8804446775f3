import type { CollectionFiles } from '../../collections/collection-files.ts';
import type { Instead } from '../../collections/read-directory.ts';

/** A change of a collection: a row of service_private.catalog_changes(). */
export type Change = {
  kind: string;
  verdict: 'safe' | 'diverges' | 'needs-migration';
  collection: string;
  property: string | null;
  detail: string;
  remedy: string | null;
};

/** The part of a service.schema_plan() row that the answer shows. */
export type Step = Record<'kind' | 'target' | 'verdict', string> & Record<'statement' | 'detail' | 'remedy', string | null>;
export type ProjectPlan = { changes: Change[]; steps: Step[] };

/** The caller whose turn it is, and whether its client is still connected. */
export type Asker = { uid: string; signal: AbortSignal };
/** `mayEvaluate`: whether SQL of the definition is tried. Its errors can reveal rows, so only for callers that may see every row. */
export type Planner = Asker & { mayEvaluate: boolean };

/** The database side of an edit. It throws ApiError 503 SERVICE_UNAVAILABLE when the database cannot answer, or too many wait. */
export type SchemaDoor = {
  /** Plans one at a time. @throws BootError with one line a problem. */
  plan: (files: CollectionFiles, planner: Planner) => Promise<ProjectPlan>;
  /**
   * Does what `apply` and the next start would do with these files, and takes it back. Nothing where the service may not change the
   * database. @throws BootError for what would fail.
   */
  rehearse: (files: CollectionFiles) => Promise<void>;
  /**
   * Brings the database in line and resolves, with the new schema version, once this process serves it. A failure changes nothing.
   * Undefined where the service may not change the database.
   */
  apply: ((files: CollectionFiles, before: CollectionFiles) => Promise<string>) | undefined;
  /** One edit at a time, of all gateways of the database. @throws ApiError 409 CONFLICT when another takes too long. */
  exclusively: <T>(edit: () => Promise<T>, asker: Asker) => Promise<T>;
};

/** The files side. */
export type ProjectFolder = {
  /** Where collection files lie; undefined where the tables are served as they are. */
  folder: string | undefined;
  /** As a start would read them; undefined without collection files. */
  load: (instead?: Instead) => CollectionFiles | undefined;
  /** SERVICE_LIVE_SCHEMA_REPOSITORY. */
  repository: string | undefined;
};

export type SchemaOptions = {
  project: ProjectFolder;
  door: SchemaDoor;
  /** SERVICE_SCHEMA_EDITOR; undefined where it is not set. */
  editor: boolean | undefined;
  production: boolean;
  machinesMayApply: boolean;
};
