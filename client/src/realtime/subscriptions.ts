/** Lists and rows that are kept up to date. Equal ones are one on the wire. */
import { run } from '../callback.ts';
import type { RowgateError } from '../error.ts';
import { writeJson, type Shape } from '../json.ts';
import { errorOf, type Frame, type Member, type State } from './members.ts';
import type { Link } from './socket.ts';

/** The last that is known, and whether it is still so. */
export interface Content {
  readonly data: unknown;
  /** Undefined for a row. */
  readonly meta: unknown;
  readonly state: State;
}

export interface Subscription {
  readonly state: State;
  readonly unsubscribe: () => void;
}

/** A list or a row, in the parameters of the API. */
export interface Target {
  /** The list, or that of the row: `orders`, `orders/5/items`. */
  path: string;
  id?: string | undefined;
  parameters: Readonly<Record<string, unknown>>;
  /** Which numbers of a row are exact. */
  shape?: Shape;
}

export interface Watcher {
  /** Is called whenever data or state are other ones. */
  changed: (content: Content) => unknown;
  failed: (error: RowgateError) => unknown;
}

type Entry = { member: Member; watchers: Set<Watcher>; tell: (watcher: Watcher) => void; leave: () => void };
type Update = Frame & { rows?: unknown; row?: unknown; meta?: unknown; position: string; unchanged?: true };

export function createSubscriptions(link: Link): (target: Target, watcher: Watcher) => Subscription {
  const entries = new Map<string, Entry>();
  let count = 0;

  return (target, watcher) => {
    const key = writeJson([target.path, target.id ?? null, Object.entries(target.parameters).sort()]);
    const entry = entries.get(key) ?? open(key, target);
    const { member, watchers, tell, leave } = entry;
    watchers.add(watcher);
    queueMicrotask(() => { tell(watcher); });
    link.late(member, error => watchers.has(watcher) && watcher.failed(error));
    return {
      get state() { return member.state; },
      unsubscribe() { if (watchers.delete(watcher) && watchers.size === 0) leave(); },
    };
  };

  function open(key: string, { path, id, parameters, shape }: Target): Entry {
    const subscriptionId = `s${++count}`;
    const watchers = new Set<Watcher>();
    let content: Omit<Content, 'state'> | undefined;
    /** Names the content. */
    let since: string | undefined;
    const tell = (watcher: Watcher): void => {
      if (content && watchers.has(watcher)) void run(watcher.changed, { ...content, state: member.state });
    };
    const each = (callback: (watcher: Watcher) => unknown): void => { for (const watcher of [...watchers]) callback(watcher); };
    const member: Member = {
      state: 'offline', shape,
      ask() {
        const type = id === undefined ? 'subscribe_collection' : 'subscribe_one';
        link.say(type, { ...parameters, path, id: id ?? parameters['id'], subscriptionId, since });
      },
      heard(frame) {
        if (frame.type === 'ERROR') return link.refused(member, errorOf(frame));
        const { rows, row, meta, position, unchanged } = frame as Update;
        since = position;
        if (!unchanged) {
          content = { data: id === undefined ? rows : row, meta };
          if (member.state === 'live') each(tell);
        }
        link.change(member, 'live');
      },
      changed: () => { each(tell); },
      failed: error => { each(({ failed }) => run(failed, error)); },
      forget() { content = since = member.failure = undefined; },
    };
    const leave = (): void => {
      entries.delete(key);
      link.remove(subscriptionId, member, 'unsubscribe', { subscriptionId });
    };
    const entry = { member, watchers, tell, leave };
    link.add(subscriptionId, member);
    entries.set(key, entry);
    return entry;
  }
}
