import { CHANGES_CHANNEL, type Change, type Counts, type OpenChanges, type Wanted } from './changes.ts';
import { type Listen } from '../../database/listen.ts';
import { type Ask } from '../../process/workers/ask.ts';
import { type Answers } from '../../process/workers/messages.ts';
import { type Workers } from '../../process/workers/parent.ts';

/** What a worker asks of its parent: to be told of changes of these tables. */
const WANT_CHANGES = 'wantChanges';
type Want = { worker: number; wanted: [relation: number, keyed: boolean][] };
/** And tells him, now and then. */
const COUNTED = 'counted';
type Counted = { worker: number; counts: Counts };
const COUNTING = 10_000;

type SharedChanges = { answers: Answers; open: (open: OpenChanges, pass: Workers['pass']) => Promise<() => Promise<void>> };

/** The parent looks for changes once for all workers: what any of them wants, told to all. */
export function sharedChanges(): SharedChanges {
  const wants = new Map<number, Want['wanted']>();
  const counted = new Map<number, Counts>();
  let tell: (wanted: Wanted) => Promise<void> = () => Promise.resolve();

  return { answers: { [WANT_CHANGES]: want, [COUNTED]: count }, open };

  async function open(openChanges: OpenChanges, pass: Workers['pass']): Promise<() => Promise<void>> {
    const hears = (isHeard: boolean) => () => { pass({ channel: CHANGES_CHANNEL, hears: isHeard }); };
    const changed = (changes: readonly Change[]) => { pass({ channel: CHANGES_CHANNEL, heard: JSON.stringify(changes) }); };
    const feed = await openChanges({ counts, changed, resumed: hears(true), silent: hears(false) });
    tell = feed.want;
    await tell(union());
    return feed.end;
  }

  function want(given: unknown): Promise<void> {
    const { worker, wanted } = given as Want;
    wants.set(worker, wanted);
    return tell(union());
  }

  function count(given: unknown): void {
    const { worker, counts } = given as Counted;
    counted.set(worker, counts);
  }

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

/** The worker's side. */
export function changesOfParent(worker: number, listen: Listen, ask: Ask): OpenChanges {
  return async ({ counts, changed, resumed, silent }) => {
    const heard = (text: string) => { changed(JSON.parse(text) as Change[]); };
    const { end } = await listen(CHANGES_CHANNEL, { heard, resumed, silent });
    const tell = () => ask(COUNTED, { worker, counts: counts() } satisfies Counted);
    const telling = setInterval(() => void tell().catch(() => undefined), COUNTING).unref();
    return {
      want: async wanted => { await Promise.all([tell(), ask(WANT_CHANGES, { worker, wanted: [...wanted] } satisfies Want)]); },
      end: () => {
        clearInterval(telling);
        return end();
      },
    };
  };
}
