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

/** `argument`: its name in SQL. */
export type Argument = { name: string; argument: string; type: PropertyType; sqlType: string; required: boolean };

/** The functions that are declared to be served. */
export type Endpoints = {
  served: ReadonlyMap<string, Endpoint>;
  /** Those that cannot be, and why. */
  refused: readonly { name: string; signature: string; problem: string }[];
};

type Row = { name: string; signature: string; problem: string | null; document: Endpoint };

export async function readEndpoints(sql: postgres.Sql | postgres.TransactionSql): Promise<Endpoints> {
  const rows = await sql<Row[]>`
    select name, signature, problem, document from service_private.endpoints() order by name collate "C", signature collate "C"`;
  return {
    served: new Map(rows.flatMap(({ name, problem, document }) => problem === null ? [[name, document]] : [])),
    refused: rows.flatMap(({ name, signature, problem }) => problem === null ? [] : [{ name, signature, problem }]),
  };
}

export const NO_ENDPOINTS: Endpoints = { served: new Map(), refused: [] };
