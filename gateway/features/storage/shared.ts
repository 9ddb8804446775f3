import type { Config } from '../config.ts';
import type { Lent } from '../context.ts';
import type { LendContext, SharedContext } from '../feature.ts';
import type { Handlers } from '../job.ts';
import { REMOVE_UNNAMED, removeUnnamed } from './remove-unnamed.ts';
import { storageRules, useStorageRules } from './rules.ts';
import { lazyRoutes } from './lazy-routes.ts';
import { openStores } from './stores.ts';

/** The stores are opened with the first job: most starts have none, and the process may be one that serves no files. */
export function handlers({ config, database: { jobs, lanes }, log }: SharedContext): Handlers {
  if (config.storageSources.every(source => 'missing' in source)) return {};
  let opening: ReturnType<typeof openStores> | undefined;
  const storeOf = async (storageId: string) =>
    (await (opening ??= openStores(config, { isFirst: false, log }))).served.find(({ key }) => key === storageId)?.store;
  return { [REMOVE_UNNAMED]: removeUnnamed({ ask: jobs, lane: lanes.write, storeOf }) };
}

/** Files for files of the project that run beside requests. */
export function lends(context: LendContext): Partial<Lent> {
  return { storageRoutes: lazyRoutes(context) };
}

export async function prepare({ config, database }: SharedContext): Promise<void> {
  await useStorageRules(database.owner, storageRules(config));
}

export function standing(config: Config): Record<string, unknown> {
  return { storage: storageRules(config) };
}
