import type { Context } from '../../context.ts';
import { createAuthorizer } from './authorizer.ts';
import { channelsThrough } from './bus/shared.ts';
import { createChannels, type Channels } from './channels.ts';
import { keptMessages } from './kept-messages.ts';
import { channelRules, keeping } from './rules.ts';
import { findAuthorizer } from './settings.ts';

/** Undefined where nothing is heard. */
export async function openChannels({ config, database, bus, ask, log }: Context): Promise<Channels | undefined> {
  if (!database.hears) return undefined;
  const settings = config.settingsFile.realtime ?? {};
  return createChannels({
    openBus: channelsThrough(bus),
    allow: createAuthorizer(await findAuthorizer(database.owner, settings), database.lanes.scan, log),
    isKept: keeping(channelRules(settings.channels)),
    messages: keptMessages(ask),
    log,
  });
}
