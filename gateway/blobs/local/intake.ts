import { openSpool } from '../spool.ts';
import type { Intake, Kind, Place, Store } from '../store.ts';
import { pathOf } from './paths.ts';
import { inTheWay } from './refusal.ts';

/** Writes the object aside, syncs it, and replaces the one that is there. */
export async function intakeOf(store: Store & { root: string }, place: Place, kind: Kind): Promise<Intake> {
  if (place.key === '' || place.key.endsWith('/')) throw inTheWay();
  pathOf(store.root, place); // refuses at once what it would refuse at the end
  const { write, drop, moveTo } = await openSpool(store);
  return { write, drop, finish: () => moveTo(store, place, kind) };
}
