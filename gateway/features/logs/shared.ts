import { coalesced } from '../../catalog/coalesced.ts';
import { withDeadline } from '../../database/with-deadline.ts';
import { FLUSH, RECORDS } from '../../logs/outbox.ts';
import { LogRing } from '../../logs/ring.ts';
import type { SharedContext } from '../feature.ts';
import { FIND, FOLLOW } from './topics.ts';

/** Milliseconds that a reader waits for what processes have not sent yet: one that hangs is left out. */
const PATIENCE = 250;
/** Entries that wait for a reader of a stream, at most. */
const MOST_PENDING = 2_000;

/** Keeps the ring of all processes of the start. */
export function share({ bus }: SharedContext): Promise<() => Promise<void>> {
  const ring = new LogRing();
  // A process has handled the message once its records are here, which it sends before.
  const collect = coalesced(() => withDeadline(bus.announce(FLUSH, null), PATIENCE).catch(() => undefined));

  bus.answer(RECORDS, records => { ring.add(records); });
  bus.answer(FIND, async ({ filter, page }) => {
    await collect();
    return ring.newest(filter, page);
  });
  bus.answer(FOLLOW, wanted => wanted.map(({ filter, after }) => ring.after(after, filter, MOST_PENDING)));
  return Promise.resolve(() => Promise.resolve());
}
