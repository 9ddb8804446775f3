import { CHANGES_CHANNEL, type Change, type OpenChanges, type Wanted } from '../database/changes.ts';
import { type Listen } from '../database/listen.ts';
import { type Ask } from '../process/workers/ask.ts';
import { type Answers } from '../process/workers/messages.ts';
import { type Workers } from '../process/workers/parent.ts';

/** What a worker asks of its parent: to be told of changes of these tables. */
const WANT_CHANGES = 'wantChanges';
type Want = { worker: number; wanted: [relation: number, keyed: boolean][] };

type SharedChanges = { answers: Answers; open: (open: OpenChanges, pass: Workers['pass']) => Promise<() => Promise<void>> };

/** The parent looks for changes once for all workers: what any of them wants, told to all. */
export function sharedChanges(): SharedChanges {
  const wants = new Map<number, Want['wanted']>();
  let tell: (wanted: Wanted) => Promise<void> = () => Promise.resolve();

  return { answers: { [WANT_CHANGES]: want }, open };

  async function open(openChanges: OpenChanges, pass: Workers['pass']): Promise<() => Promise<void>> {
    const hears = (isHeard: boolean) => () => { pass({ channel: CHANGES_CHANNEL, hears: isHeard }); };
    const changed = (changes: readonly Change[]) => { pass({ channel: CHANGES_CHANNEL, heard: JSON.stringify(changes) }); };
    const feed = await openChanges({ changed, resumed: hears(true), silent: hears(false) });
    tell = feed.want;
    await tell(union());
    return feed.end;
  }

  function want(given: unknown): Promise<void> {
    const { worker, wanted } = given as Want;
    wants.set(worker, wanted);
    return tell(union());
  }

  function union(): Wanted {
    const all = new Map<number, boolean>();
    for (const [relation, keyed] of [...wants.values()].flat()) all.set(relation, keyed || all.get(relation) === true);
    return all;
  }
}

/** The worker's side. */
export function changesOfParent(worker: number, listen: Listen, ask: Ask): OpenChanges {
  return async ({ changed, resumed, silent }) => {
    const heard = (text: string) => { changed(JSON.parse(text) as Change[]); };
    const { end } = await listen(CHANGES_CHANNEL, { heard, resumed, silent });
    return { want: async wanted => { await ask(WANT_CHANGES, { worker, wanted: [...wanted] } satisfies Want); }, end };
  };
}
