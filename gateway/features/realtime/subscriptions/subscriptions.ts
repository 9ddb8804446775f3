import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CatalogKeeper } from '../../../catalog/catalog.ts';
import { requireCollections } from '../../../catalog/require-collections.ts';
import { retryOnStaleCatalog } from '../../../catalog/retry-on-stale-catalog.ts';
import { requireReading } from '../../../catalog/key-scopes.ts';
import { readRefusal } from '../../../catalog/read-refusal.ts';
import { coalescingFigures, runRead, type Reads } from '../../../catalog/run-read.ts';
import { withSuggestion } from '../../../catalog/unknown-name.ts';
import type { ChangeFeed, ChangeSource, OpenChanges } from '../changes.ts';
import { unavailable } from '../../../database/refusal.ts';
import { ApiError } from '../../../error.ts';
import { parseRead, type Options as Limits } from '../../../grammar/read/request.ts';
import type { ParsedRead } from '../../../grammar/read/shape.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Figure } from '../../../metrics/families.ts';
import type { Frame } from '../frame.ts';
import type { Part } from '../frame-group.ts';
import type { Session } from '../session.ts';
import { createReadings, mayPass, RETRY, type Reading } from './readings.ts';
import { requireLive, sinceOf, subscriptionIdOf, targetOf } from './request.ts';
import { Subscription, type Target } from './subscription.ts';
import { tablesOf, type Tables } from './tables.ts';
import { collectionUpdate, singleUpdate, type Update } from './update-frame.ts';
import { createWanted } from './wanted.ts';

export type SubscriptionsOptions = {
  catalog: CatalogKeeper;
  /** Those of the primary that only re-reads use. */
  reads: Reads;
  /** How many re-reads at once, for now. */
  most: () => number;
  openChanges: OpenChanges;
  changeSources: () => Promise<ChangeSource[]>;
  limits: Pick<Limits, 'defaultLimit' | 'maxLimit' | 'maxIncludeLimit'>;
  /** For one socket. */
  maxSubscriptions: number;
  /** Whether refusals may carry the database's own words. */
  verbose: boolean;
  log: Logger;
};

export type Subscriptions = {
  part: Part;
  /** Begins to hear of changes. `judge` asks anew what the credential of every socket is worth, and there are so many sockets. */
  start: (judge: () => Promise<void>, sockets: () => number) => Promise<void>;
  /** How many there are. */
  count: () => number;
  /** How their reads were sent. */
  figures: () => Figure[];
  close: () => Promise<void>;
};

/** Milliseconds between two re-reads of the same, and after which all is read again in any case. */
const PAUSE = 100;
const SWEEP = 50_000;
/** How long a re-authenticated session waits for its re-reads, in ms. */
const PATIENCE = 5_000;

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { catalog, reads, most, openChanges, limits, maxSubscriptions, verbose, log } = options;
  const readings = createReadings({ read, most, pause: PAUSE, sweep: SWEEP });
  const bySession = new Map<Session, Map<string, Subscription>>();
  let sources: Promise<ChangeSource[]> | undefined;
  let feed: ChangeFeed | undefined;
  const wanted = createWanted(readings.tables, next => feed?.want(next) ?? Promise.reject(unavailable(undefined)));

  catalog.onLook(again);
  return {
    part: {
      frames: {
        subscribe_collection: { kind: 'subscription', handle: (session, frame) => subscribe(session, frame, false) },
        subscribe_one: { kind: 'subscription', handle: (session, frame) => subscribe(session, frame, true) },
        unsubscribe: { kind: 'subscription', handle: unsubscribe },
      },
      rebound, drained, closed,
    },
    start, close,
    count: () => all().length,
    figures: () => coalescingFigures([reads]),
  };

  async function start(judge: () => Promise<void>, sockets: () => number): Promise<void> {
    const resumed = async () => {
      await judge(); // what became of callers meanwhile was not heard either
      again();
      readings.hold(false);
    };
    feed = await openChanges({
      counts: () => ({ sockets: sockets(), subscriptions: all().length }),
      changed: readings.changed,
      resumed: () => void resumed().catch((error: unknown) => { log.error({ err: error }, 'subscriptions could not be resumed'); }),
      silent: () => { readings.hold(true); },
    });
  }

  async function close(): Promise<void> {
    readings.close();
    wanted.close();
    await feed?.end();
  }

  /** A rejected subscription does not exist; one that cannot be read for the time being does, and is updated once it can. */
  async function subscribe(session: Session, { payload }: Frame, isOne: boolean): Promise<void> {
    const id = subscriptionIdOf(payload);
    const own = bySession.get(session) ?? new Map<string, Subscription>();
    bySession.set(session, own);
    own.get(id)?.end();
    if (own.size >= maxSubscriptions) {
      const message = `A socket may have ${maxSubscriptions} subscriptions (REALTIME_MAX_SUBSCRIPTIONS_PER_SOCKET).`;
      throw new ApiError(429, 'TOO_MANY_SUBSCRIPTIONS', message, { maximum: maxSubscriptions });
    }
    const subscription = new Subscription(id, session, targetOf(payload, isOne), sinceOf(payload), ended);
    own.set(id, subscription);
    await begin(subscription);
  }

  function unsubscribe(session: Session, { payload }: Frame): void {
    bySession.get(session)?.get(subscriptionIdOf(payload))?.end();
  }

  function ended(subscription: Subscription): void {
    const own = bySession.get(subscription.session);
    if (own?.get(subscription.id) === subscription) own.delete(subscription.id);
  }

  /** After a change of caller or roles, every subscription is authorized and read again, as if it were new. */
  async function rebound(session: Session): Promise<void> {
    await Promise.all([...bySession.get(session)?.values() ?? []].map(async subscription => {
      subscription.told = undefined;
      await begin(subscription);
      await Promise.race([subscription.answered.promise, setTimeout(PATIENCE, undefined, { ref: false })]);
    }));
  }

  /** The catalog or policies have changed, or it is not known what has. */
  function again(): void {
    sources = undefined;
    for (const subscription of all()) void begin(subscription);
  }

  function all(): Subscription[] {
    return [...bySession.values()].flatMap(own => [...own.values()]);
  }

  /**
   * Authorizes a subscription and reads it once changes of its tables are announced. A rejection ends it with an error; a temporary failure
   * is retried. Never rejects.
   */
  async function begin(subscription: Subscription): Promise<void> {
    const turn = subscription.leave();
    const { caller } = subscription.session;
    try {
      const [request, tables] = await judged(subscription.target, caller);
      if (turn === subscription.turn) void wanted.want(tables).then(() => { join(subscription, turn, request, caller, tables); }, refuse);
    } catch (error) {
      refuse(error);
    }

    function refuse(error: unknown): void {
      if (turn !== subscription.turn) return;
      if (!mayPass(error)) subscription.end();
      else void setTimeout(RETRY, undefined, { ref: false }).then(() => turn === subscription.turn ? begin(subscription) : undefined);
      if (!mayPass(error) || subscription.told === undefined) subscription.refuse(error);
    }
  }

  function join(subscription: Subscription, turn: number, request: ParsedRead, caller: Caller, tables: Tables): void {
    if (turn !== subscription.turn) return;
    const key = JSON.stringify([request.shape, request.values, caller.kind, caller.claims]);
    const reading = readings.join(subscription, key, request, caller, tables);
    subscription.joined(() => { readings.leave(reading, subscription); });
  }

  async function judged({ path, query, prefer, isOne }: Target, caller: Caller): Promise<[ParsedRead, Tables]> {
    const { document } = catalog.current;
    requireCollections(document);
    const request = parseRead(path, query, { ...limits, prefer, names: document });
    requireLive(request, isOne);
    requireReading(caller, request.shape, document);
    try {
      await retryOnStaleCatalog(catalog, async ({ statements }) => {
        await statements.find(request.shape, caller.roles, clientOf(caller));
      });
    } catch (error) {
      throw withSuggestion(refusal(error, request), { slug: path[0], roles: caller.roles, document });
    }
    return [request, tablesOf(request, document, await (sources ??= knownSources()))];
  }

  function knownSources(): Promise<ChangeSource[]> {
    const asked = options.changeSources();
    asked.catch(() => { if (sources === asked) sources = undefined; });
    return asked;
  }

  async function read({ request, caller }: Reading): Promise<Update> {
    const client = { key: clientOf(caller) };
    const isOne = request.shape.op === 'get';
    try {
      return await retryOnStaleCatalog(catalog, async ({ document, statements }) => {
        const statement = await statements.find(request.shape, caller.roles, client.key);
        const [body] = await runRead(statement, caller.claims, request.values, reads, client);
        return isOne || !body ? singleUpdate(body ?? undefined) : collectionUpdate(body, request.shape, document);
      });
    } catch (error) {
      const refused = refusal(error, request);
      if (isOne && refused.code === 'NOT_FOUND') return singleUpdate(undefined); // what it names is no row
      throw refused;
    }
  }

  function refusal(error: unknown, request: ParsedRead): ApiError {
    return readRefusal(error, request, { catalog, verbose });
  }

  function drained(session: Session): void {
    for (const subscription of bySession.get(session)?.values() ?? []) if (subscription.isBehind) void begin(subscription);
  }

  function closed(session: Session): void {
    for (const subscription of bySession.get(session)?.values() ?? []) subscription.end();
    bySession.delete(session);
  }
}

/** The caller that a re-read counts against. */
function clientOf({ kind, uid }: Caller): () => string {
  return () => `${kind} ${uid}`;
}
