import type { Test } from 'tap';
import type { RowgateError } from '../../../client/src/error.ts';
import { createRealtime, type Realtime } from '../../../client/src/realtime/realtime.ts';
import type { SocketOptions } from '../../../client/src/realtime/socket.ts';
import type { Snapshot, Subscription, Target } from '../../../client/src/realtime/subscriptions.ts';
import { SERVICE_KEY } from '../../harness/service.ts';
import { until } from '../../harness/until.ts';

/** A subscription, and everything that it was told. */
export type Watched = Subscription & {
  told: Snapshot[];
  errors: RowgateError[];
  /** Resolves with the last snapshot once it is live and its data are so. */
  live: (fits?: (data: any) => boolean) => Promise<Snapshot>;
};

/** The realtime of a client with the service key. What it holds open is closed at the test's end. */
export function openRealtime(t: Pick<Test, 'teardown'>, url: string, options: Partial<SocketOptions> = {}) {
  const realtime: Realtime = createRealtime({ url, token: () => SERVICE_KEY, ...options });
  const held = new Set<() => void>();
  t.teardown(() => { for (const end of held) { try { end(); } catch (error) { console.log(error); } } });
  return {
    ...realtime,
    watch(target: Partial<Target> & Pick<Target, 'path'>): Watched {
      const [told, errors]: [Snapshot[], RowgateError[]] = [[], []];
      const subscription = realtime.subscribe({ parameters: {}, ...target }, {
        snapshot: snapshot => told.push(snapshot), error: error => errors.push(error),
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
    channel(...[name, handlers]: Parameters<Realtime['channel']>) {
      const channel = realtime.channel(name, handlers);
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
