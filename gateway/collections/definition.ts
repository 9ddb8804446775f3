import { type PropertyType } from '../catalog/document.ts';
import { type Stamp } from '../catalog/rows.ts';

/** A collection file, after its form was checked against the schema. */
export type Definition = {
  slug: string;
  name?: string;
  singularName?: string;
  history?: boolean;
  softDelete?: boolean | { field: string };
  tenant?: TenantDefinition;
  description?: string;
  table?: string;
  schema?: string;
  properties?: Record<string, PropertyDefinition>;
  /** null is one that is wrong in itself. */
  relations?: (RelationEntry | null)[];
  securityRules?: (SecurityRule | null)[];
  disableDefaultPolicies?: boolean;
  indexes?: (IndexDefinition | null)[];
  strictWrites?: boolean;
  exposed?: boolean;
  readOnly?: boolean;
  callbacks?: Callbacks;
  search?: SearchDefinition;
  [key: string]: unknown;
};

/** `field` holds the tenant of a row; `from` says where the tenants of a caller are found. */
export type TenantDefinition = { field: string; from: { claim: string } | { membership: Membership }; bypassRoles?: string[] };
/** The rows of `collection` whose `userField` is the caller's uid name the caller's tenants. */
export type Membership = { collection: string; userField: string; tenantField: string };

export type Callbacks = Record<string, string | AfterRead>;
/** `masks`: the properties of which rows show something else than is stored. */
export type AfterRead = { function: string; masks?: string[] };

export type PropertyKind = PropertyType | 'relation' | 'reference';

/** The keys of every type together; which of them a type has is the schema's business. */
export type PropertyDefinition = {
  type: PropertyKind | 'text' | 'timestamp' | 'enum';
  name?: string;
  description?: string;
  columnName?: string;
  defaultValue?: unknown;
  validation?: Validation;
  access?: { read?: string[]; write?: string[] };
  excludeFromApi?: boolean;
  columnType?: string;
  isId?: boolean | string;
  enum?: EnumDefinition;
  email?: boolean;
  url?: boolean | string;
  autoValue?: Stamp;
  precision?: number;
  scale?: number;
  mode?: 'date' | 'date_time';
  timezone?: boolean | string;
  of?: PropertyDefinition;
  properties?: Record<string, PropertyDefinition>;
  keyValue?: boolean;
  dimensions?: number;
  index?: false | VectorIndexDefinition;
  relation?: RelationDefinition;
  relationName?: string;
  path?: string;
  onDelete?: string;
  onUpdate?: string;
  admin?: unknown;
};

export type EnumDefinition = (string | number | { id: string | number })[] | Record<string, unknown>;
export type Validation = {
  required?: boolean;
  unique?: boolean;
  requiredMessage?: string;
  integer?: boolean;
  matches?: string;
  min?: number | string;
  max?: number | string;
  length?: number;
  moreThan?: number;
  lessThan?: number;
};
export type VectorIndexDefinition = {
  method?: 'hnsw' | 'ivfflat';
  distance?: string | string[];
  m?: number;
  efConstruction?: number;
  lists?: number;
};

export type RelationDefinition = {
  kind: 'belongsTo' | 'hasOne' | 'hasMany' | 'manyToMany' | 'via';
  target: string | { __collectionRef: string };
  localKey?: string;
  foreignKeyOnTarget?: string;
  sourceKey?: string;
  onDelete?: string;
  onUpdate?: string;
  through?: { table?: string; sourceColumn?: string; targetColumn?: string; properties?: Record<string, PropertyDefinition> };
  cardinality?: 'one' | 'many';
  joinPath?: JoinStep[];
  validation?: Validation;
};
export type JoinStep = { table: string; on: { from: string | string[]; to: string | string[] } };
export type RelationEntry = RelationDefinition & { relationName?: string };

export type SecurityRule = {
  name?: string;
  operation?: string;
  operations?: string[];
  mode?: 'permissive' | 'restrictive';
  roles?: string[];
  pgRoles?: string[];
  ownerField?: string;
  access?: 'public';
  /** What it means is SQL's to say: service.condition_problems(). */
  condition?: unknown;
  check?: unknown;
  using?: string;
  withCheck?: string;
};

export type IndexDefinition = {
  on: (string | { prop: string; direction?: 'asc' | 'desc'; nulls?: 'first' | 'last' })[];
  reason: string;
  using?: 'btree' | 'gin' | 'brin';
  where?: IndexCondition;
  unique?: boolean;
  include?: string[];
};
export type IndexComparison = { prop: string; op: string; value?: unknown };
export type IndexCondition = IndexComparison | { and: IndexComparison[] };

export type SearchDefinition = {
  fields: (string | { path: string; weight?: string })[];
  language?: string;
  mode?: string;
  unaccent?: boolean;
  fuzzy?: boolean;
  fuzzyThreshold?: number;
  column?: string;
};

/** Says what is wrong where: `posts.properties.author`, "…". */
export type Report = (path: string, problem: string) => void;

/** The types that are only another word. */
const ALIASES: Readonly<Record<string, PropertyKind>> = { text: 'string', timestamp: 'date', enum: 'string' };

export function kindOf({ type }: PropertyDefinition): PropertyKind {
  return Object.hasOwn(ALIASES, type) ? ALIASES[type] as PropertyKind : type as PropertyKind;
}
