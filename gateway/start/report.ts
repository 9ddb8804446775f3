import type postgres from 'postgres';
import type { Skipped } from '../catalog/catalog.ts';
import type { Source } from './source.ts';

/** Facts that a DBA should know after boot. */
export type Report = {
  skipped: readonly Skipped[];
  /** Served although row security does not protect them. */
  open: string[];
  missingGrants: string[];
  unreachablePolicies: { table_name: string; policy: string; roles: string; rewriting: string }[];
  /** False: DDL is not announced, the catalog reloads on `select service.reload()`. */
  watchesDdl: boolean;
};

export async function report(owner: postgres.Sql, source: Source, skipped: readonly Skipped[], watchesDdl: boolean): Promise<Report> {
  const [open, grants, unreachablePolicies] = await Promise.all([
    source.kind !== 'tables' || source.unprotected === 'skip' ? [] : owner<{ slug: string }[]>`
      select slug from service_private.open_tables(${source.schema}) slug`,
    owner<{ statement: string }[]>`select statement from service_private.missing_grants() statement`,
    owner<Report['unreachablePolicies']>`select * from service.unreachable_policies()`,
  ]);
  const missingGrants = grants.map(({ statement }) => statement);
  return { skipped, open: open.map(({ slug }) => slug), missingGrants, unreachablePolicies, watchesDdl };
}
