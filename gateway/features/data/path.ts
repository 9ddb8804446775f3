import { segmentsOf } from '../../grammar/path.ts';
import type { Call } from '../../http/route.ts';

/** Below the route: of `/data/album/1` ['album', '1']. */
export function segments({ path }: Call): string[] {
  return segmentsOf(path.slice('/data/'.length));
}
