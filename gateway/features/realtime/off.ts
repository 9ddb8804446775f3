import type { SharedContext } from '../feature.ts';
import { leaveTables } from './table-triggers.ts';

/** Tables lose the triggers that tell of their changes. */
export async function prepare({ database: { owner, mayChange } }: SharedContext): Promise<void> {
  if (mayChange) await leaveTables(owner);
}

export function standing(): Record<string, unknown> {
  return { realtime: false };
}
