import type { Config } from '../config.ts';
import type { SharedContext } from '../feature.ts';
import { storageRules, useStorageRules } from './rules.ts';

export async function prepare({ config, database }: SharedContext): Promise<void> {
  await useStorageRules(database.owner, storageRules(config));
}

export function standing(config: Config): Record<string, unknown> {
  return { storage: storageRules(config) };
}
