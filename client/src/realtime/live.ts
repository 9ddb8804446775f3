/** The types of subscriptions: those of list and get, kept up to date. */
import type { Collection, Counting, IdOf, Listed, MetaOf, RelatedRows } from '../collection.ts';
import type { RowgateError } from '../error.ts';
import type { GetQuery, Include, ListQuery } from '../query.ts';
import type { Linked, Page, Result } from '../result.ts';
import type { AnySchema, CollectionOf, FieldName, RelationName, Relations, Slug, Target } from '../schema.ts';
import type { Channel, ChannelHandlers } from './channels.ts';
import type { State } from './members.ts';
import type { Subscription } from './subscriptions.ts';

/** Told whenever the rows or the state are other ones. The last rows stay when the connection is lost. */
export interface Snapshot<Row, M> extends Page<Row, M> {
  readonly state: State;
}
export interface RowSnapshot<Row> {
  /** Null: it is not there, or hidden from this caller. */
  readonly data: Row | null;
  readonly state: State;
}
/** A failure that does not end the subscription, told once. Without it errors are written to the console. */
type Failed = (error: RowgateError) => unknown;

/** Rows that can be subscribed to. L: the relation that led here. */
export interface LiveRows<S extends AnySchema, C, L = {}> {
  /** `subscribe_collection`: the page that list() returns, whole after every change. Equal queries share one; do not change its data. */
  subscribe<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}, D extends boolean = false,
    N extends Counting = 'exact', T extends string = never>(
    query: ListQuery<S, C, F, I> & { distinct?: D; count?: N; searchString?: T; vector_search?: never },
    changed: (snapshot: Snapshot<Listed<S, C, L, F, I, D, T, never>, MetaOf<N>>) => unknown, failed?: Failed,
  ): Subscription;
  /** `subscribe_one`: the row that get() returns, or null. */
  subscribeOne<const F extends FieldName<C> = FieldName<C>, const I extends Include<S, C> = {}>(
    id: IdOf<C>, query: GetQuery<S, C, F, I>, changed: (snapshot: RowSnapshot<Linked<L, Result<S, C, F, I>>>) => unknown, failed?: Failed,
  ): Subscription;
  /** `/data/orders/1/order_items`: the rows that belong to a row. */
  related<R extends RelationName<C>>(
    id: IdOf<C>, relation: R,
  ): LiveRows<S, Target<S, Relations<C>[R]>, Relations<C>[R]> & RelatedRows<S, Target<S, Relations<C>[R]>, Relations<C>[R]>;
}

/** A client with realtime. */
export interface Live<S extends AnySchema> {
  /** The rows of a collection. */
  from<N extends Slug<S>>(collection: N): LiveRows<S, CollectionOf<S, N>> & Collection<S, CollectionOf<S, N>>;
  /** `join_channel`. @throws RowgateError INVALID_INPUT for a channel that this client is in already */
  channel(name: string, handlers?: ChannelHandlers): Channel;
}
