import { type SharedContext } from '../feature.ts';
import { useAccountHooks } from './hooks.ts';

export async function prepare({ config, database }: SharedContext): Promise<void> {
  await useAccountHooks(database.owner, config.settingsFile.auth?.hooks ?? {});
}
