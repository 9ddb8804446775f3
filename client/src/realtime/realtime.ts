/** Live queries and channels over one socket. */
import { createChannels, type Channel, type ChannelHandlers } from './channels.ts';
import { createLink, type Link, type SocketOptions } from './socket.ts';
import { createSubscriptions, type Subscription, type Target, type Watcher } from './subscriptions.ts';

export interface Realtime {
  /** `subscribe_collection`, or with an id `subscribe_one`. @throws RowgateError NOT_SUPPORTED in a runtime without WebSocket */
  subscribe(target: Target, watcher: Watcher): Subscription;
  /** `join_channel`. @throws RowgateError NOT_SUPPORTED in a runtime without WebSocket, INVALID_INPUT in a channel already */
  channel(name: string, handlers: ChannelHandlers): Channel;
  /** The token may be another one: after a sign-in, a refresh, a sign-out. */
  renew(): void;
}

/** Nothing is opened before something is subscribed to. */
export function createRealtime(options: SocketOptions): Realtime {
  const subscriptions = createSubscriptions(() => link);
  const channels = createChannels(() => link);
  const link: Link = createLink(options, [subscriptions.part, channels.part]);
  return { subscribe: subscriptions.subscribe, channel: channels.join, renew: link.renew };
}
