import { openSpool } from '../spool.ts';
import { type Intake, type Kind, type Place, type Store } from '../store.ts';
import { pathOf } from './paths.ts';
import { inTheWay } from './refusal.ts';

/** Written aside, synced, and then put in the place of what is there. */
export async function intakeOf(store: Store & { root: string }, place: Place, kind: Kind): Promise<Intake> {
  if (place.key === '' || place.key.endsWith('/')) throw inTheWay();
  pathOf(store.root, place); // refuses what it would refuse in the end
  const { push, ready, drop, moveTo } = await openSpool(store);
  return { push, ready, drop, finish: () => moveTo(store, place, kind) };
}
