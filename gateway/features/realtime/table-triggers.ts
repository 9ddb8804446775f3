import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { CatalogKeeper } from '../../catalog/catalog.ts';
import { keepTriggers, patiently, type PlannedTrigger } from '../../catalog/keep-triggers.ts';
import type { ChangeSource } from './changes.ts';

/** Gives served tables the triggers that announce their changes. */
export async function watchTables(owner: postgres.Sql, catalog: CatalogKeeper, mayChange: boolean, log: Logger): Promise<void> {
  await keepTriggers({ owner, catalog, mayChange, log }, {
    plan: () => owner<PlannedTrigger[]>`select name, statement, problem from service.plan_changes()`,
    consequence: 'cannot be subscribed to',
  });
}

/** The other way round, where realtime is off. */
export async function leaveTables(owner: postgres.Sql): Promise<void> {
  const planned = await owner<{ statement: string }[]>`select statement from service_private.drop_change_triggers()`;
  for (const { statement } of planned) await owner.unsafe(patiently(statement)).simple().catch(() => undefined);
}

export async function changeSources(owner: postgres.Sql): Promise<ChangeSource[]> {
  return owner<ChangeSource[]>`
    select collection, joined, relation::bigint::float8 as relation, name, key_type as "keyType", told from service.change_sources()`;
}
