import type { SharedSettingsFile } from './settings-file/type.ts';

/** `data`: what people may do anyway, row security deciding; `admin`: what admins may, and roles that say so; `app`: the project's own. */
type Plane = 'data' | 'admin' | 'app';
/** A permission, as `resource:action`. `target`: what it may be narrowed to, as `resource:action:target`. */
export type ScopeEntry = { scope: string; label: string; description?: string; plane: Plane; target?: string };

const BUILT_IN = [
  { scope: 'data:read', label: 'Read rows', plane: 'data', target: 'collection' },
  { scope: 'data:write', label: 'Create and change rows', plane: 'data', target: 'collection' },
  { scope: 'data:delete', label: 'Delete rows', plane: 'data', target: 'collection' },
  { scope: 'storage:read', label: 'List and download files', plane: 'data', target: 'source' },
  { scope: 'storage:write', label: 'Upload files', plane: 'data', target: 'source' },
  { scope: 'storage:delete', label: 'Delete files', plane: 'data', target: 'source' },
  { scope: 'functions:invoke', label: 'Call functions', plane: 'data', target: 'function' },
  { scope: 'users:read', label: 'See accounts and roles', plane: 'admin' },
  { scope: 'users:write', label: 'Manage accounts', plane: 'admin' },
  { scope: 'schema:read', label: 'See the schema, plans and audits', plane: 'admin' },
  { scope: 'schema:write', label: 'Change the schema', plane: 'admin' },
  { scope: 'database:read', label: 'See how statements run', plane: 'admin' },
  { scope: 'database:write', label: 'Run SQL', plane: 'admin' },
  { scope: 'backups:read', label: 'See and download backups', plane: 'admin' },
  { scope: 'cron:read', label: 'See scheduled jobs', plane: 'admin' },
  { scope: 'cron:write', label: 'Run and change scheduled jobs', plane: 'admin' },
  { scope: 'logs:read', label: 'Read logs', plane: 'admin' },
  { scope: 'keys:read', label: 'See API keys', plane: 'admin' },
  { scope: 'keys:write', label: 'Manage API keys', plane: 'admin' },
] as const satisfies ScopeEntry[];

type OfPlane<P extends Plane> = Extract<typeof BUILT_IN[number], { plane: P }>['scope'];
export type DataScope = OfPlane<'data'>;
export type AdminScope = OfPlane<'admin'>;

/** Resources that the service's own scopes are about. */
export const RESERVED_RESOURCES: ReadonlySet<string> = new Set(BUILT_IN.map(({ scope }) => scope.split(':')[0] ?? ''));

/** The service's own, then those of the settings file. */
export function scopeTable({ auth }: SharedSettingsFile): ScopeEntry[] {
  const declared = Object.entries(auth?.scopes ?? {}).map(([scope, { label = scope, description, target }]): ScopeEntry =>
    ({ scope, label, ...(description !== undefined && { description }), plane: 'app', ...(target !== undefined && { target }) }));
  return [...BUILT_IN, ...declared];
}

/** The row of the table that a scope, narrowed or not, is of, and what it is narrowed to. */
export function findScope(table: readonly ScopeEntry[], scope: string): { entry: ScopeEntry; target?: string } | undefined {
  const [, plain, target] = /^([^:]+:[^:]+)(?::(.+))?$/s.exec(scope) ?? [];
  const entry = table.find(row => row.scope === plain);
  if (entry === undefined || (target !== undefined && entry.target === undefined)) return undefined;
  return { entry, ...(target !== undefined && { target }) };
}

/** Whether a holder of these scopes has the asked one: narrowed to a target, or not at all. A narrowed scope does not cover all targets. */
export function covers(held: readonly string[], scope: string, target?: string): boolean {
  return held.includes(scope) || (target !== undefined && held.includes(`${scope}:${target}`));
}
