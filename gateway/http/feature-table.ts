import { ApiError, type ErrorCode } from '../error.ts';
import type { Route } from './route.ts';

/**
 * A part of the service that a setting turns on or off, or that is not built yet. A path that is on and has no route of its
 * own says that it is not built.
 */
export type FeatureRow = {
  feature: string;
  /** As in a route: `*` at the end covers everything below. */
  paths: string[];
  root?: true;
  /** It has the WebSockets, at any path. */
  upgrades?: true;
  /** The variable that switches it on or off. */
  setting?: string | undefined;
  isOn: boolean;
  /** It is built: what none of its routes answers is not there. */
  built?: true;
  /** The answer of its paths while it is off: FEATURE_DISABLED by default; hidden: as if nothing was there. */
  off?: 'hidden' | { status: number; code: ErrorCode; message: string };
};

/** The routes that are served: built ones whose feature is on, then what the other paths of the table answer. */
export function withFeatures(routes: readonly Route[], table: readonly FeatureRow[]): Route[] {
  const off = table.filter(({ isOn }) => !isOn);
  const served = routes.filter(route => !off.some(row => covers(row, route)));
  const refusing = table.filter(row => !row.built || off.includes(row));
  return [...served, ...refusing.flatMap(row => refusingRoutes(row, off.includes(row)))];
}

/** @throws ApiError 501 where what has the WebSockets is off, or not built. */
export function requireUpgrades(table: readonly FeatureRow[]): void {
  for (const row of table.filter(({ upgrades }) => upgrades)) {
    if (!row.isOn) throw switchedOff(row);
    if (!row.built) throw notBuilt(row);
  }
}

function covers({ paths, root }: FeatureRow, route: Route): boolean {
  return root === route.root && paths.some(path => path.endsWith('/*') ? route.path.startsWith(path.slice(0, -1)) : route.path === path);
}

function refusingRoutes(row: FeatureRow, isOff: boolean): Route[] {
  const handle = () => { throw isOff ? switchedOff(row) : notBuilt(row); };
  return row.paths.map(path => ({ method: 'ANY', path, handle, ...(row.root && { root: row.root }) }));
}

/** The answer of what this start does not serve. */
export function switchedOff(row: Pick<FeatureRow, 'feature' | 'setting' | 'off'>): ApiError {
  if (row.off === 'hidden') return new ApiError(404, 'NOT_FOUND', 'There is nothing here.');
  const { feature, setting } = row;
  const { status, code, message } = row.off ?? disabled(feature, setting);
  return new ApiError(status, code, message, { feature, setting });
}

function disabled(feature: string, setting = 'no setting') {
  return { status: 501, code: 'FEATURE_DISABLED' as const, message: `This deployment has ${feature} switched off (${setting}).` };
}

/** Never 404: a client must be able to tell "not yet" from "no such thing". */
export function notBuilt({ feature }: Pick<FeatureRow, 'feature'>): ApiError {
  return new ApiError(501, 'NOT_IMPLEMENTED', `This version of the service does not have ${feature} yet.`, { feature });
}
