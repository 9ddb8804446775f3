import type { Bus, MainBus } from '../process/bus/bus.ts';
import { topic } from '../process/bus/topic.ts';
import type { ChannelListener, Listen } from './listen.ts';

/** Asked: listen to a channel. */
const LISTEN = topic<string>('listen');
const heardOn = (channel: string) => topic<string>(`heard ${channel}`);
/** Whether the channel is heard. */
const hearsOn = (channel: string) => topic<boolean>(`hears ${channel}`, { isKept: true });

/** Listens for all processes of a start, to the channels that any of them asks for. @returns what ends it. */
export function shareListening(bus: MainBus, listen: Listen, publishedElsewhere: readonly string[]): () => Promise<void> {
  const listening = new Map<string, ReturnType<Listen>>();
  for (const channel of publishedElsewhere) bus.publish(hearsOn(channel), true);
  bus.answer(LISTEN, async channel => {
    if (!publishedElsewhere.includes(channel) && !listening.has(channel)) listening.set(channel, listen(channel, earsOf(channel)));
    await listening.get(channel);
  });
  return async () => { for (const begun of listening.values()) await begun.then(({ end }) => end(), () => undefined); };

  function earsOf(channel: string): ChannelListener {
    return {
      heard: payload => { bus.publish(heardOn(channel), payload); },
      resumed: () => { bus.publish(hearsOn(channel), true); },
      silent: () => { bus.publish(hearsOn(channel), false); },
    };
  }
}

/** Passes on to all processes what was heard on a channel that is not listened to for them. */
export function passOn(bus: Bus, channel: string, payload: string): void {
  bus.publish(heardOn(channel), payload);
}

/** Listens through the process that `shareListening` runs in. */
export function listenThrough(bus: Bus): Listen {
  return async (channel, { heard, resumed, silent }) => {
    const ends = [
      bus.subscribe(hearsOn(channel), hears => { if (hears) resumed(); else silent?.(); }),
      bus.subscribe(heardOn(channel), heard),
    ];
    await bus.ask(LISTEN, channel);
    return { end: () => Promise.resolve(ends.forEach(end => { end(); })) };
  };
}
