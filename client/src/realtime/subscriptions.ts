/** Lists and rows that are kept up to date. Equal ones are one on the wire. */
import type { RowgateError } from '../error.ts';
import { readJson, writeJson, type Shape } from '../json.ts';
import { backoff, errorOf, run, type Frame, type Link, type Part } from './socket.ts';

/** `live`: as the service has it. `catching up`: asked for, not yet answered. `offline`: without a connection. */
export type State = 'live' | 'catching up' | 'offline';

/** The last that is known, and whether it is still so. It is told anew whenever one of these changes. */
export interface Snapshot<Data = unknown, Meta = unknown> {
  readonly data: Data;
  /** Of lists. */
  readonly meta: Meta;
  readonly state: State;
}

export interface Subscription {
  readonly state: State;
  unsubscribe(): void;
}

/** What is subscribed to, in the parameters of the API. */
export interface Target {
  /** Of the list, or of the list that the row is in: `orders`, `orders/5/items`. */
  path: string;
  id?: string;
  parameters: Readonly<Record<string, unknown>>;
  /** Which numbers of a row are exact. */
  shape?: Shape;
}

export interface Watcher {
  snapshot: (snapshot: Snapshot) => unknown;
  error?: ((error: RowgateError) => unknown) | undefined;
}

interface Entry {
  readonly id: string;
  readonly key: string;
  readonly target: Target;
  readonly watchers: Set<Watcher>;
  state: State;
  content?: { data: unknown; meta: unknown };
  /** Names the content that it has. */
  position?: string;
  /** The last refusal: the same one is not told twice. */
  refusal?: string | undefined;
  attempt: number;
  retry?: ReturnType<typeof setTimeout>;
}

const NO_SHAPE: Shape = { digits: [], relations: {} };

export function createSubscriptions(link: () => Link) {
  const entries = new Map<string, Entry>();
  const byId = new Map<string, Entry>();
  let count = 0;
  const part: Part = { isNeeded: () => entries.size > 0, opened, lost, heard, failed, parse };

  return { part, subscribe };

  function subscribe(target: Target, watcher: Watcher): Subscription {
    link().check();
    const key = writeJson([target.path, target.id ?? null, Object.entries(target.parameters).sort(([one], [other]) => one < other ? -1 : 1)]);
    const entry = entries.get(key) ?? add(key, target);
    entry.watchers.add(watcher);
    if (entry.content !== undefined) queueMicrotask(() => { tellOne(entry, watcher); });
    return { get state() { return entry.state; }, unsubscribe: () => { remove(entry, watcher); } };
  }

  function add(key: string, target: Target): Entry {
    const entry: Entry = { id: `s${++count}`, key, target, watchers: new Set(), state: 'offline', attempt: 0 };
    entries.set(key, entry);
    byId.set(entry.id, entry);
    link().look();
    if (link().isOpen) ask(entry);
    return entry;
  }

  function remove(entry: Entry, watcher: Watcher): void {
    if (!entry.watchers.delete(watcher) || entry.watchers.size > 0) return;
    clearTimeout(entry.retry);
    entries.delete(entry.key);
    byId.delete(entry.id);
    link().say('unsubscribe', { subscriptionId: entry.id });
    link().look();
  }

  function ask(entry: Entry): void {
    const { id: subscriptionId, position: since, target: { path, id, parameters } } = entry;
    clearTimeout(entry.retry);
    change(entry, 'catching up');
    link().say(id === undefined ? 'subscribe_collection' : 'subscribe_one', { ...parameters, path, id, subscriptionId, since });
  }

  function opened(): void {
    for (const entry of [...entries.values()]) ask(entry);
  }

  function lost(): void {
    for (const entry of [...entries.values()]) {
      clearTimeout(entry.retry);
      change(entry, 'offline');
    }
  }

  /** An update has its subscription in its head, which says what its numbers are. */
  function parse(text: string): unknown {
    const [, id = ''] = /^\{"type":"\w+_update","subscriptionId":"(\w+)"/.exec(text) ?? [];
    const shape = byId.get(id)?.target.shape;
    return shape && readJson(text, { digits: [], relations: { rows: shape, row: shape, meta: NO_SHAPE } });
  }

  function heard(frame: Frame): void {
    const entry = byId.get(frame['subscriptionId'] as string);
    if (entry === undefined) return;
    if (frame.type === 'ERROR') return refused(entry, errorOf(frame));
    clearTimeout(entry.retry);
    entry.attempt = 0;
    entry.refusal = undefined;
    entry.position = frame['position'] as string;
    if (frame['unchanged'] === true) return change(entry, 'live');
    entry.content = { data: frame[frame.type === 'single_update' ? 'row' : 'rows'], meta: frame['meta'] };
    entry.state = 'live';
    tell(entry);
  }

  /** It may be refused for the time being, or until roles or policies are others: it is asked for again, ever less often. */
  function refused(entry: Entry, error: RowgateError): void {
    change(entry, 'catching up');
    const { retryAfterSeconds = 0 } = (error.details ?? {}) as { retryAfterSeconds?: number };
    clearTimeout(entry.retry);
    entry.retry = setTimeout(() => { if (link().isOpen) ask(entry); }, Math.max(retryAfterSeconds * 1000, backoff(entry.attempt++)));
    const refusal = `${error.code} ${error.message}`;
    if (refusal === entry.refusal) return;
    entry.refusal = refusal;
    for (const { error: told } of [...entry.watchers]) void run(told, error);
  }

  function failed(error: RowgateError): void {
    for (const { watchers } of [...entries.values()]) for (const { error: told } of [...watchers]) void run(told, error);
  }

  function change(entry: Entry, state: State): void {
    if (entry.state === state) return;
    entry.state = state;
    if (entry.content !== undefined) tell(entry);
  }

  function tell(entry: Entry): void {
    for (const watcher of [...entry.watchers]) tellOne(entry, watcher);
  }

  function tellOne(entry: Entry, watcher: Watcher): void {
    const { content, state, watchers } = entry;
    if (content !== undefined && watchers.has(watcher)) void run(watcher.snapshot, { ...content, state });
  }
}
