import { type Bus, type Notice, type OpenBus } from './bus.ts';
import { type Hub } from './hub.ts';

/** For the only process of a start. */
export function busOfHub(openHub: (tell: (notice: Notice, from?: number) => void) => Promise<Hub>): OpenBus {
  return async hear => {
    const only = 0;
    const hub = await openHub((notice, from) => { if (from === undefined) hear(notice); });
    return {
      say: (channel, frame) => Promise.resolve(hub.say(only, channel, frame)),
      track: (presence, frame) => { hub.track(only, presence, frame); },
      roster: channel => hub.roster(only, channel),
      close: hub.close,
    } satisfies Bus;
  };
}
