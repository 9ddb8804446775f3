import type postgres from 'postgres';
import { createFairExecutor } from '../database/fair-executor.ts';
import { openOwner, type OwnerOptions } from './owner.ts';

/** A fair executor on connections of its own, or where there are none for it, on those of the owner. A silent connection is replaced. */
export function ownerExecutor(options: OwnerOptions, owner: postgres.Sql, { size, deadline }: { size: number; deadline: number }) {
  let own = size === 0 ? undefined : openOwner(options, size);
  const onSilence = () => {
    void own?.end({ timeout: 0 });
    own = own && openOwner(options, size);
  };
  return {
    turns: createFairExecutor(() => own ?? owner, { size: Math.max(1, size), deadline, onSilence }),
    end: async (patience: { timeout: number }) => own?.end(patience),
  };
}
