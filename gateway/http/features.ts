import { type Config } from '../config/config.ts';
import { ApiError } from '../error.ts';
import { type Route } from './route.ts';

export type Switches = Pick<Config, 'auth' | 'metrics' | 'mcp' | 'swagger'>;

/** A part of the service that a setting turns on or off, or that is not built yet. */
export type Feature = {
  feature: string;
  /** As in a route: `*` at the end covers everything below. */
  paths: string[];
  root?: true;
  setting?: string;
  enabled?(switches: Switches): boolean;
  /** What its paths answer while it is off. */
  off?: { status: number; code: string; message?: string };
};

const notFound = { status: 404, code: 'NOT_FOUND', message: 'There is nothing here.' };
const disabled = { status: 501, code: 'FEATURE_DISABLED' };
const withAuth = { setting: 'SERVICE_AUTH', enabled: ({ auth }: Switches) => auth === 'on' };
const withMcp = { setting: 'SERVICE_MCP_ENABLED', enabled: ({ mcp }: Switches) => mcp };

/** Every feature with its switch. A path that is on and has no route of its own says that it is not built. */
export const features: readonly Feature[] = [
  { feature: 'auth', paths: ['/auth', '/auth/*'], ...withAuth, off: notFound },
  { feature: 'admin', paths: ['/admin', '/admin/*', '/cron', '/cron/*', '/logs', '/logs/*', '/schema-editor', '/schema-editor/*'], ...withAuth,
    off: { status: 501, code: 'ADMIN_SURFACE_UNAVAILABLE', message: 'Admin routes need authentication, which is switched off (SERVICE_AUTH).' } },
  { feature: 'contract', paths: ['/meta/contract'], ...withAuth,
    off: { status: 404, code: 'CONTRACT_UNAVAILABLE', message: 'The contract is served only with authentication, which is switched off (SERVICE_AUTH).' } },
  { feature: 'swagger', paths: ['/swagger', '/swagger/*'], setting: 'SERVICE_ENABLE_SWAGGER', enabled: ({ swagger }) => swagger, off: disabled },
  { feature: 'metrics', root: true, paths: ['/metrics', '/metrics/history'], setting: 'SERVICE_METRICS', enabled: ({ metrics }) => metrics, off: disabled },
  { feature: 'mcp', root: true, paths: ['/mcp'], ...withMcp, off: disabled },
  { feature: 'mcp', paths: ['/oauth', '/oauth/*'], ...withMcp, off: disabled },
  { feature: 'mcp', root: true, ...withMcp, off: notFound, paths: [
    '/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/*',
    '/.well-known/oauth-authorization-server', '/.well-known/oauth-authorization-server/*',
  ] },
  { feature: 'storage', paths: ['/storage', '/storage/*'] },
  { feature: 'functions', paths: ['/functions', '/functions/*'] },
];

/** The routes that are served: built ones whose feature is on, then what the other paths of the table answer. */
export function withFeatures(routes: readonly Route[], table: readonly Feature[], switches: Switches): Route[] {
  const off = table.filter(row => row.enabled?.(switches) === false);
  const served = routes.filter(route => !off.some(row => covers(row, route)));
  return [...served, ...table.flatMap(row => refusingRoutes(row, off.includes(row)))];
}

function covers({ paths, root }: Feature, route: Route): boolean {
  return root === route.root && paths.some(path => path.endsWith('/*') ? route.path.startsWith(path.slice(0, -1)) : route.path === path);
}

function refusingRoutes(row: Feature, isOff: boolean): Route[] {
  const handle = () => { throw isOff ? offError(row) : notBuilt(row); };
  return row.paths.map(path => ({ method: 'ANY', path, handle, ...(row.root && { root: row.root }) }));
}

function offError({ feature, setting, off = disabled }: Feature): ApiError {
  const message = off.message ?? `This deployment has ${feature} switched off (${setting ?? 'no setting'}).`;
  return new ApiError(off.status, off.code, message, off === notFound ? undefined : { feature, setting });
}

/** Never 404: a client must be able to tell "not yet" from "no such thing". */
export function notBuilt({ feature }: Pick<Feature, 'feature'>): ApiError {
  return new ApiError(501, 'NOT_IMPLEMENTED', `This version of the service does not have ${feature} yet.`, { feature });
}
