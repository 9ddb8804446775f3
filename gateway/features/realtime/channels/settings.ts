import type postgres from 'postgres';
import type { SettingsFile } from '../../settings-file.ts';
import { BootError } from '../../../error.ts';
import { channelRules } from './rules.ts';

export type ChannelSettings = NonNullable<SettingsFile['realtime']>;

/** Tells the database which channels keep their messages. */
export async function useChannelRules(owner: postgres.Sql, { channels }: ChannelSettings): Promise<void> {
  await owner`select service_private.use_channel_rules(${JSON.stringify(channelRules(channels))}::text::jsonb)`;
}

/** The statement that asks the project's function, where one is named. @throws BootError when it is not there as it has to be. */
export async function findAuthorizer(owner: postgres.Sql, { authorize }: ChannelSettings): Promise<string | undefined> {
  if (authorize === undefined) return undefined;
  const [found] = await owner<{ statement: string | null; problem: string | null }[]>`
    select statement, problem from service_private.channel_authorizer(${authorize})`;
  if (found?.statement) return found.statement;
  throw new BootError(`realtime.authorize of the settings file: ${found?.problem ?? 'it could not be looked up'}.`);
}
