/** Live queries and channels over one socket: given to createClient as `realtime`. */
import type { RowgateError } from '../error.ts';
import { idText, type Id } from '../id.ts';
import { shapeOf } from '../json.ts';
import { parametersOf } from '../parameters.ts';
import { segment, type Connection, type LiveMethods } from '../request.ts';
import { createChannels, type Channel, type ChannelHandlers } from './channels.ts';
import { createLink, type Link, type SocketOptions } from './socket.ts';
import { createSubscriptions, type Content, type Subscription } from './subscriptions.ts';

export interface Realtime {
  live: LiveMethods;
  channel: (name: string, handlers?: ChannelHandlers) => Channel;
  /** The token may be another one: after a sign-in, a refresh, a sign-out. */
  renew: Link['renew'];
}

type Query = Record<string, unknown> & { include?: never; count?: string };
type Told = (content: Content) => unknown;
type Failed = (error: RowgateError) => unknown;

/** Nothing is opened before something is subscribed to. */
export function realtime(connection: Connection, options: SocketOptions = {}): Realtime {
  const link = createLink(connection, options);
  const subscribe = createSubscriptions(link);
  return {
    renew: link.renew,
    channel: createChannels(link),
    live(path, slug, pivots) {
      const watch = (id: string | undefined, query: Query, changed: Told, failed: Failed = console.error): Subscription => {
        const { count, include } = query;
        const parameters = { ...parametersOf(query), ...count && { count } };
        const target = { path: path.map(segment).join('/'), id, parameters, shape: shapeOf(connection.facts, slug, include, pivots) };
        return subscribe(target, { changed, failed });
      };
      return {
        subscribe: (query: Query, changed: Told, failed?: Failed) => watch(undefined, query, changed, failed),
        subscribeOne: (id: Id, query: Query, changed: Told, failed?: Failed) =>
          watch(idText(id, 'count', 'aggregate'), query, changed, failed),
      };
    },
  };
}
