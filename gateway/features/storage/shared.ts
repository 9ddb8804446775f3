import { type SharedContext } from '../feature.ts';
import { storageRules, useStorageRules } from './rules.ts';

export async function prepare({ config, database }: SharedContext): Promise<void> {
  await useStorageRules(database.owner, storageRules(config));
}
