import type { Test } from 'tap';
import type { RowgateError } from '../../../client/src/error.ts';
import { createChannels, type ChannelHandlers } from '../../../client/src/realtime/channels.ts';
import { createLink, type SocketOptions } from '../../../client/src/realtime/socket.ts';
import { createSubscriptions, type Content, type Subscription, type Target } from '../../../client/src/realtime/subscriptions.ts';
import type { Connection } from '../../../client/src/request.ts';
import { SERVICE_KEY } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';

/** A subscription, and everything that it was told. */
export type Watched = Subscription & {
  told: Content[];
  errors: RowgateError[];
  /** Resolves with the last snapshot once it is live and its data are so. */
  live: (fits?: (data: any) => boolean) => Promise<Content>;
};

/** The realtime of a client with the service key. Everything that it holds open is closed at the test's end. */
export function openRealtime(
  t: Pick<Test, 'teardown'>, url: string, { token = () => SERVICE_KEY, refused, ...options }: SocketOptions & Partial<Connection> = {},
) {
  const facts = { version: '', collections: {} };
  const link = createLink({ base: url, facts, fetch, exact: true, token, ...refused && { refused } }, options);
  const [subscribe, join] = [createSubscriptions(link), createChannels(link)];
  const held = new Set<() => void>();
  t.teardown(() => { for (const end of held) { try { end(); } catch (error) { console.log(error); } } });
  return {
    renew: link.renew,
    subscribe,
    watch(target: Partial<Target> & Pick<Target, 'path'>): Watched {
      const [told, errors]: [Content[], RowgateError[]] = [[], []];
      const subscription = subscribe({ parameters: {}, ...target }, {
        changed: content => told.push(content), failed: error => errors.push(error),
      });
      held.add(subscription.unsubscribe);
      return {
        get state() { return subscription.state; },
        unsubscribe: subscription.unsubscribe,
        told, errors,
        live: (fits = () => true) => until(`a snapshot of ${target.path}`, () => {
          const last = told.at(-1);
          return last?.state === 'live' && fits(last.data) && last;
        }),
      };
    },
    channel(name: string, handlers?: ChannelHandlers) {
      const channel = join(name, handlers);
      held.add(() => { channel.leave(); });
      return channel;
    },
  };
}

/** A WebSocket that writes down what it is told to send, and what it hears. */
export function recorded() {
  const [sent, heard]: [any[], any[]] = [[], []];
  let [opened, closed] = [0, 0];
  class Recorded extends WebSocket {
    constructor(url: string) {
      super(url);
      opened++;
      this.addEventListener('close', () => { closed++; });
      this.addEventListener('message', ({ data }) => heard.push(JSON.parse(String(data))));
    }

    override send(text: string): void {
      sent.push(JSON.parse(text));
      super.send(text);
    }
  }
  return { WebSocket: Recorded, sent, heard, get opened() { return opened; }, get closed() { return closed; } };
}
