import type { Config } from '../config.ts';
import type { SharedContext } from '../feature.ts';
import { openChanges } from './changes.ts';
import { openHub } from './channels/bus/hub.ts';
import { shareChannels } from './channels/bus/shared.ts';
import { channelRules } from './channels/rules.ts';
import { findAuthorizer, useChannelRules } from './channels/settings.ts';
import { shareChanges } from './feed.ts';
import { watchTables } from './table-triggers.ts';

export async function prepare({ config, database, log }: SharedContext): Promise<void> {
  const { owner, catalog, mayChange } = database;
  const settings = config.settingsFile.realtime ?? {};
  await findAuthorizer(owner, settings);
  await useChannelRules(owner, settings);
  await watchTables(owner, catalog, mayChange, log);
}

export function standing({ settingsFile }: Config): Record<string, unknown> {
  return { channels: channelRules(settingsFile.realtime?.channels), realtime: true };
}

/** Nothing is shared where nothing is heard. */
export async function share({ config, database: { listening }, bus, log }: SharedContext): Promise<() => Promise<void>> {
  if (listening === undefined) return () => Promise.resolve();
  const endChannels = await shareChannels(tell => openHub({ listening, kind: config.realtimeChannelBus, tell, log }), bus);
  const endChanges = await shareChanges(ears => openChanges(listening, ears), bus);
  return async () => { await Promise.all([endChannels(), endChanges()]); };
}
