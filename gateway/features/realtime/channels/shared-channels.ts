import { type Listen } from '../../../database/listen.ts';
import { type Ask } from '../../../process/workers/ask.ts';
import { type Answers } from '../../../process/workers/messages.ts';
import { type Workers } from '../../../process/workers/parent.ts';
import { type Bus, type Notice, type OpenBus, type Presence } from './bus/bus.ts';
import { type Hub } from './bus/hub.ts';
import { CHANNELS_CHANNEL } from './bus/wire.ts';
import { type OpenHub } from '../../../start/database.ts';

/** What a worker tells its parent of channels, or asks it. */
const [ENTER, SAY, TRACK, ROSTER] = ['enterChannels', 'sayInChannel', 'trackPresence', 'channelRoster'];
type Said = { worker: number; channel: string; frame: string };
type Tracked = { worker: number; presence: Presence; frame: string };
type SharedChannels = { answers: Answers; close: Hub['close'] };
/** Passed on to all workers: to whom it comes from too, which passes it over. */
type Told = { notice: Notice; from?: number };

/** The parent is where the workers of a start meet, and hears other gateways for all of them. */
export async function sharedChannels(openHub: OpenHub | undefined, pass: Workers['pass']): Promise<SharedChannels> {
  const tell = (notice: Notice, from?: number) => {
    const told: Told = { notice, ...(from !== undefined && { from }) };
    pass({ channel: CHANNELS_CHANNEL, heard: JSON.stringify(told) });
  };
  const hub = await openHub?.(tell);
  if (hub === undefined) return { answers: {}, close: () => Promise.resolve() };
  return {
    answers: {
      [ENTER]: given => { hub.enter(given as number); },
      [SAY]: given => hub.say((given as Said).worker, (given as Said).channel, (given as Said).frame),
      [TRACK]: given => { hub.track((given as Tracked).worker, (given as Tracked).presence, (given as Tracked).frame); },
      [ROSTER]: given => hub.roster((given as Said).worker, (given as Said).channel),
    },
    close: hub.close,
  };
}

/** The worker's side. */
export function channelsOfParent(worker: number, listen: Listen, ask: Ask): OpenBus {
  return async hear => {
    const heard = (text: string) => {
      const { notice, from } = JSON.parse(text) as Told;
      if (from !== worker) hear(notice);
    };
    const { end } = await listen(CHANNELS_CHANNEL, { heard, resumed: () => undefined });
    await ask(ENTER, worker);
    return {
      say: (channel, frame) => ask(SAY, { worker, channel, frame } satisfies Said) as Promise<boolean>,
      track: (presence, frame) => { void ask(TRACK, { worker, presence, frame } satisfies Tracked); },
      roster: channel => ask(ROSTER, { worker, channel }) as ReturnType<Bus['roster']>,
      close: end,
    };
  };
}
