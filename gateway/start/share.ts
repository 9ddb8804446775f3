import type { Logger } from 'pino';
import type { Config } from '../features/config.ts';
import { shareListening } from '../database/shared-listen.ts';
import { CATALOG_CHANNEL } from '../catalog/catalog.ts';
import type { CronJob } from '../features/cron-job.ts';
import type { Feature } from '../features/feature.ts';
import { FEATURES } from '../features/index.ts';
import type { Handlers } from '../features/job.ts';
import { isServed } from '../features/role.ts';
import { shareMailbox } from '../mail/shared-mailbox.ts';
import type { MainBus } from '../process/bus/bus.ts';
import type { Database } from './database.ts';
import { mailboxOf } from './mail.ts';
import { compareSettings } from './other-settings.ts';

/**
 * Brings the database in line with the settings of each feature, and says so when another gateway runs with others.
 * @throws BootError for settings that the database refuses.
 */
export async function prepareFeatures(database: Database, config: Config, bus: MainBus, log: Logger): Promise<void> {
  const context = { config, database, bus };
  const settings: Record<string, unknown> = {};
  for (const feature of FEATURES) {
    const { isOn, shared, off } = feature;
    const { prepare, standing } = await (isOn?.(config) === false ? off?.() : shared?.()) ?? {};
    await prepare?.({ ...context, log: logOf(feature, log) });
    Object.assign(settings, standing?.(config));
  }
  await compareSettings(database.owner, database.listening, settings, log);
}

export type Shared = {
  /** Ends the work that no request waits for, while requests are still answered. */
  stop: () => Promise<void>;
  end: () => Promise<void>;
};

/** Begins what one process of a start does for all that serve. */
export async function shareFeatures(database: Database, config: Config, bus: MainBus, log: Logger): Promise<Shared> {
  const handlersOfAll: Handlers = {};
  const crons: CronJob[] = [];
  shareMailbox(mailboxOf(config), bus);
  const stops: (() => Promise<void>)[] = [];
  const ends = [shareListening(bus, database.listen, [CATALOG_CHANNEL])];
  for (const feature of FEATURES) {
    const { isOn, shared } = feature;
    const context = { config, database, bus, handlers: handlersOfAll, crons, log: logOf(feature, log) };
    const { handlers, crons: own, share, work } = isOn?.(config) === false ? {} : await shared?.() ?? {};
    Object.assign(handlersOfAll, await handlers?.(context));
    crons.push(...await own?.(context) ?? []);
    if (share && isServed(feature, config)) ends.push(await share(context));
    if (work) stops.push(await work(context));
  }
  return {
    stop: async () => { await Promise.all(stops.splice(0).map(stop => stop())); },
    end: async () => { for (const end of ends.reverse()) await end(); },
  };
}

function logOf({ source = 'system' }: Feature, log: Logger): Logger {
  return log.child({ source });
}
