import type postgres from 'postgres';
import { createTurns } from '../database/turns.ts';
import { openOwner, type OwnerOptions } from './owner.ts';

/** Turns on connections of their own, or where there are none for them, on the owner's. One that is silent is replaced. */
export function ownTurns(options: OwnerOptions, owner: postgres.Sql, { size, deadline }: { size: number; deadline: number }) {
  let own = size === 0 ? undefined : openOwner(options, size);
  const onSilence = () => {
    void own?.end({ timeout: 0 });
    own = own && openOwner(options, size);
  };
  return {
    turns: createTurns(() => own ?? owner, { size: Math.max(1, size), deadline, onSilence }),
    end: async (patience: { timeout: number }) => own?.end(patience),
  };
}
