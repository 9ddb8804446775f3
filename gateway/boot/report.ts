import type postgres from 'postgres';
import type { Source } from './source.ts';

/** What a DBA should know after boot. */
export type Report = {
  /** Without a remedy: it could not be looked at. */
  skipped: { slug: string; reason: string; remedy: string | null }[];
  /** Served although row security does not protect them. */
  open: string[];
  missingGrants: string[];
  unreachablePolicies: { table_name: string; policy: string; roles: string; rewriting: string }[];
  /** False: DDL is not announced, the catalog reloads on `select service.reload()`. */
  watchesDdl: boolean;
};

export async function report(owner: postgres.Sql, source: Source, watchesDdl: boolean): Promise<Report> {
  const [skipped, open, grants, unreachablePolicies] = await Promise.all([
    source.kind !== 'tables' ? [] : owner<Report['skipped']>`
      select slug, reason, remedy from service.introspected_tables(${source.schema}, ${source.unprotected})
      where reason is not null order by slug`,
    source.kind !== 'tables' || source.unprotected === 'skip' ? [] : owner<{ slug: string }[]>`
      select slug from service.open_tables(${source.schema}) slug`,
    owner<{ statement: string }[]>`select statement from service.missing_grants() statement`,
    owner<Report['unreachablePolicies']>`select * from service.unreachable_policies()`,
  ]);
  const missingGrants = grants.map(({ statement }) => statement);
  return { skipped, open: open.map(({ slug }) => slug), missingGrants, unreachablePolicies, watchesDdl };
}
