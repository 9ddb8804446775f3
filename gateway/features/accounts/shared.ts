import type { Config } from '../config.ts';
import type { SharedContext } from '../feature.ts';
import { useAccountHooks, type AccountHooks } from './hooks.ts';

export async function prepare({ config, database }: SharedContext): Promise<void> {
  await useAccountHooks(database.owner, hooksOf(config));
}

export function standing(config: Config): Record<string, unknown> {
  return { hooks: hooksOf(config) };
}

function hooksOf({ settingsFile }: Config): AccountHooks {
  return settingsFile.auth?.hooks ?? {};
}
