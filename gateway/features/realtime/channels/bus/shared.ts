import type { Bus, MainBus } from '../../../../process/bus/bus.ts';
import { topic } from '../../../../process/bus/topic.ts';
import type { Notice, OpenBus, Presence } from './bus.ts';
import type { Hub, HubOptions } from './hub.ts';

/** Begins to connect the processes of a start, and with other gateways where they are one. */
export type OpenHub = (tell: HubOptions['tell']) => Promise<Hub>;

const ENTER = topic<undefined>('channels.enter');
const SAY = topic<{ channel: string; frame: string }, boolean>('channels.say');
const TRACK = topic<{ presence: Presence; frame: string }>('channels.track');
const ROSTER = topic<string, [id: string, state: string][]>('channels.roster');
/** Told to all processes; the one that it comes from passes it over. */
const NOTICE = topic<{ notice: Notice; from?: number }>('channels.notice');

/** The hub of a start, where its processes meet; it hears other gateways for all of them. @returns what ends it. */
export async function shareChannels(openHub: OpenHub, bus: MainBus): Promise<() => Promise<void>> {
  const hub = await openHub((notice, from) => { bus.publish(NOTICE, { notice, ...(from !== undefined && { from }) }); });
  bus.answer(ENTER, (_, from) => { hub.enter(from); });
  bus.answer(SAY, ({ channel, frame }, from) => hub.say(from, channel, frame));
  bus.answer(TRACK, ({ presence, frame }, from) => { hub.track(from, presence, frame); });
  bus.answer(ROSTER, (channel, from) => hub.roster(from, channel));
  return hub.close;
}

/** The channels of `shareChannels`, as a process that serves has them. */
export function channelsThrough(bus: Bus): OpenBus {
  return async hear => {
    const end = bus.subscribe(NOTICE, ({ notice, from }) => { if (from !== bus.number) hear(notice); });
    await bus.ask(ENTER, undefined);
    return {
      say: (channel, frame) => bus.ask(SAY, { channel, frame }),
      track: (presence, frame) => { void bus.ask(TRACK, { presence, frame }); },
      roster: channel => bus.ask(ROSTER, channel),
      close: () => Promise.resolve(end()),
    };
  };
}
