import type { Bus, MainBus } from '../../process/bus/bus.ts';
import { topic } from '../../process/bus/topic.ts';
import type { Change, Counts, OpenChanges, Wanted } from './changes.ts';

type Want = [relation: number, keyed: boolean][];

/** Asked: tell of changes of these tables, of all that a process wants. */
const WANTED = topic<Want>('realtime.wanted');
/** Asked now and then: how many sockets and subscriptions a process has. */
const COUNTED = topic<Counts>('realtime.counted');
const CHANGED = topic<readonly Change[]>('realtime.changed');
/** Whether changes are heard. */
const HEARD = topic<boolean>('realtime.heard', { isKept: true });

/** Milliseconds between two reports of counts. */
const COUNTING = 10_000;

/** Looks for changes once for all processes of a start: what any of them wants, told to all. @returns what ends it. */
export async function shareChanges(openChanges: OpenChanges, bus: MainBus): Promise<() => Promise<void>> {
  const wants = new Map<number, Want>();
  const counted = new Map<number, Counts>();
  const feed = await openChanges({
    counts,
    changed: changes => { bus.publish(CHANGED, changes); },
    resumed: () => { bus.publish(HEARD, true); },
    silent: () => { bus.publish(HEARD, false); },
  });
  bus.answer(WANTED, async (wanted, from) => {
    wants.set(from, wanted);
    await feed.want(union());
  });
  bus.answer(COUNTED, (counts, from) => { counted.set(from, counts); });
  return feed.end;

  function counts(): Counts {
    const sum = (of: keyof Counts) => [...counted.values()].reduce((all, counts) => all + counts[of], 0);
    return { sockets: sum('sockets'), subscriptions: sum('subscriptions') };
  }

  function union(): Wanted {
    const all = new Map<number, boolean>();
    for (const [relation, keyed] of [...wants.values()].flat()) all.set(relation, keyed || all.get(relation) === true);
    return all;
  }
}

/** The changes that `shareChanges` looks for, as a process that serves hears them. */
export function changesThrough(bus: Bus): OpenChanges {
  return ({ counts, changed, resumed, silent }) => {
    const ends = [
      bus.subscribe(CHANGED, changed),
      bus.subscribe(HEARD, isHeard => { if (isHeard) resumed(); else silent(); }),
    ];
    const report = () => bus.ask(COUNTED, counts());
    const reporting = setInterval(() => void report().catch(() => undefined), COUNTING).unref();
    return Promise.resolve({
      want: async (wanted: Wanted) => { await Promise.all([report(), bus.ask(WANTED, [...wanted])]); },
      end: () => {
        clearInterval(reporting);
        for (const end of ends) end();
        return Promise.resolve();
      },
    });
  };
}
