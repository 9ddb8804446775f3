import { type Logger } from 'pino';
import { type Config } from '../config/config.ts';
import { askAccounts } from '../identity/accounts.ts';
import { createAuthorizer } from '../surfaces/realtime/channels/authorizer.ts';
import { createChannels, type Channels } from '../surfaces/realtime/channels/channels.ts';
import { keptMessages } from '../surfaces/realtime/channels/kept-messages.ts';
import { channelRules, keeping } from '../surfaces/realtime/channels/rules.ts';
import { type Database } from './database.ts';

type Parts = { config: Config; database: Database; log: Logger };

/** Undefined where nothing can be heard. */
export function openChannels({ config, database, log }: Parts): Channels | undefined {
  const { openBus, channelAuthorizer, lanes, accounts } = database;
  if (openBus === undefined || config.realtimeCdc === 'off') return undefined;
  return createChannels({
    openBus,
    allow: createAuthorizer(channelAuthorizer, lanes.scan, log),
    isKept: keeping(channelRules(config.settingsFile.realtime?.channels)),
    messages: keptMessages(askAccounts(accounts, !config.production)),
    log,
  });
}
