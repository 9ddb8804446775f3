import type postgres from 'postgres';
import type { PropertyType } from './document.ts';

/** An SQL function that is served (service_private.endpoint_document). */
export type Endpoint = {
  name: string;
  volatility: 'volatile' | 'stable' | 'immutable';
  /** Open without a sign-in, even where one is required. */
  public?: true;
  /** A caller needs one of these. */
  roles?: readonly string[];
  /** A caller needs it. */
  scope?: string;
  /** The type of its one argument, which has no name and is the whole body. */
  body?: string;
  arguments: readonly Argument[];
  /** `collection`: its rows are those of a served table. */
  returns: { kind: 'void' | 'value' | 'row' | 'set'; collection?: string };
};

/** `isExpanded`: whether PostgreSQL puts its query in place of its call, so that it costs what a view of that query costs. */
export type ServedEndpoint = Endpoint & { isExpanded: boolean };

/** `argument`: its name in SQL. */
export type Argument = { name: string; argument: string; type: PropertyType; sqlType: string; required: boolean };

/** The functions that are declared to be served. */
export type Endpoints = {
  served: ReadonlyMap<string, ServedEndpoint>;
  /** Those that cannot be, and why. */
  refused: readonly { name: string; signature: string; problem: string }[];
};

type Row = { name: string; signature: string; problem: string | null; document: Endpoint; expanded: boolean };

export async function readEndpoints(sql: postgres.Sql | postgres.TransactionSql): Promise<Endpoints> {
  const rows = await sql<Row[]>`
    select name, signature, problem, document, service_private.is_expanded(oid) as expanded
    from service_private.endpoints() order by name collate "C", signature collate "C"`;
  return {
    served: new Map(rows.flatMap(({ name, problem, document, expanded: isExpanded }) =>
      problem === null ? [[name, { ...document, isExpanded }]] : [])),
    refused: rows.flatMap(({ name, signature, problem }) => problem === null ? [] : [{ name, signature, problem }]),
  };
}

export const NO_ENDPOINTS: Endpoints = { served: new Map(), refused: [] };
