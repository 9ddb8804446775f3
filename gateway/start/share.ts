import type { Logger } from 'pino';
import { ownHost } from '../config/own-host.ts';
import type { Lent } from '../features/context.ts';
import type { Config } from '../features/config.ts';
import { shareListening } from '../database/shared-listen.ts';
import { CATALOG_CHANNEL } from '../catalog/catalog.ts';
import type { CronJob } from '../features/cron-job.ts';
import type { Feature, FilesContext, LendContext, ShareContext } from '../features/feature.ts';
import { FEATURES } from '../features/index.ts';
import type { Handlers } from '../features/job.ts';
import { NO_FILES } from '../features/project-files.ts';
import { isServed } from '../features/role.ts';
import { shareMailbox } from '../mail/shared-mailbox.ts';
import type { Secrets } from '../identity/secrets.ts';
import type { MainBus } from '../process/bus/bus.ts';
import type { Database } from './database.ts';
import { mailboxOf, openServiceMail } from './mail.ts';
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
export async function shareFeatures(
  database: Database, config: Config, secrets: Secrets, bus: MainBus, log: Logger,
): Promise<Shared> {
  const handlersOfAll: Handlers = {};
  const crons: CronJob[] = [];
  const mailbox = mailboxOf(config);
  let projectFiles = NO_FILES;
  shareMailbox(mailbox, bus);
  const stops: (() => Promise<void>)[] = [];
  const sources: ShareContext['figures'][] = [];
  const figures: ShareContext['figures'] = async () => (await Promise.all(sources.map(ask => ask().catch(() => [])))).flat();
  const ends = [shareListening(bus, database.listen, [CATALOG_CHANNEL])];
  for (const feature of FEATURES) {
    const { isOn, shared } = feature;
    const context = { config, database, bus, log: logOf(feature, log) };
    const { files, handlers, crons: own, figures: figuresOf, share, work } = isOn?.(config) === false ? {} : await shared?.() ?? {};
    const opened = await files?.({ ...context, lent: mail => lentTo({ ...context, secrets, mail }), mail: openOwnMail });
    if (opened !== undefined) {
      projectFiles = opened.files;
      ends.push(opened.close);
    }
    Object.assign(handlersOfAll, await handlers?.(context));
    crons.push(...await own?.(context) ?? []);
    if (figuresOf) sources.push(figuresOf(context));
    if (share && isServed(feature, config)) ends.push(await share({ ...context, figures }));
    if (work) stops.push(await work({ ...context, handlers: handlersOfAll, crons, files: projectFiles }));
  }
  return {
    stop: async () => { await Promise.all(stops.splice(0).map(stop => stop())); },
    end: async () => { for (const end of ends.reverse()) await end(); },
  };

  function openOwnMail(): ReturnType<FilesContext['mail']> {
    return openServiceMail({ config, mailbox, ownAddress: () => `http://${ownHost(config.host)}:${config.port}`, log });
  }
}

/** The values that features provide to files of the project that run beside requests. */
async function lentTo(context: LendContext): Promise<Partial<Lent>> {
  const lent: Partial<Lent> = {};
  for (const { isOn, shared } of FEATURES) {
    const { lends } = isOn?.(context.config) === false ? {} : await shared?.() ?? {};
    Object.assign(lent, await lends?.(context));
  }
  return lent;
}

function logOf({ source = 'system' }: Feature, log: Logger): Logger {
  return log.child({ source });
}
