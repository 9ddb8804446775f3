import { type Logger } from 'pino';
import { type Config } from '../../../config/config.ts';
import { askAccounts } from '../../../identity/accounts.ts';
import { createAuthorizer } from './authorizer.ts';
import { createChannels, type Channels } from './channels.ts';
import { keptMessages } from './kept-messages.ts';
import { channelRules, keeping } from './rules.ts';
import { type Database } from '../../../start/database.ts';

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
