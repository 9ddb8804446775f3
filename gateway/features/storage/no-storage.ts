import type { Route } from '../../http/route.ts';
import { notConfigured } from './sources.ts';

/** What a deployment without storage answers. */
export function noStorageRoutes(variable: string): Route[] {
  const handle = () => { throw notConfigured(variable); };
  return ['/storage', '/storage/*'].map(path => ({ method: 'ANY', path, handle }));
}
