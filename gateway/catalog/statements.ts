import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type postgres from 'postgres';
import type { ReadShape } from '../grammar/read/shape.ts';
import type { WriteShape } from '../grammar/write/shape.ts';

/** A statement as compiled. */
export type Compiled = {
  text: string;
  /** Where it belongs. */
  lane: 'point' | 'scan';
  enterFirst: boolean;
  /** Its answer stands while its tag stands. */
  revalidates: boolean;
  /** How often it was asked for. */
  uses: number;
};

export type CompiledWrite = {
  /** Leaves nothing behind on its connection. */
  once: string;
  /** To be prepared: makes the session keep the plans inside it too. */
  kept: string;
  /** service.fast_path: takes the id as one more parameter and answers yes or nothing. */
  fastPath: string | null;
  uses: number;
};

export type Statements = {
  find: (shape: ReadShape, roles: readonly string[]) => Compiled | Promise<Compiled>;
  /** The statement of a write: $1 to $5 the caller's claims, $6 request. */
  findWrite: (shape: WriteShape, roles: readonly string[]) => CompiledWrite | Promise<CompiledWrite>;
};

/** Compiled statements that are kept, of reads and of writes. A shape more than this many others ago is compiled again. */
const KEPT = 2000;

/**
 * The statements of one catalog version, by shape and by those of the caller's roles that decide about fields.
 */
export function createStatements(owner: postgres.Sql, restrictingRoles: readonly string[]): Statements {
  const compiled = createCache(restrictingRoles, (shape: ReadShape, roles) => compile(owner, shape, roles));
  const writes = createCache(restrictingRoles, (shape: WriteShape, roles) => compileWrite(owner, shape, roles));

  return { find: compiled, findWrite: writes };
}

type Find<Asked, Found> = (asked: Asked, roles: readonly string[]) => Found | Promise<Found>;
type Make<Asked, Found> = (asked: Asked, roles: readonly string[]) => Promise<Found>;

/** Requests that wait for the same shape wait for one compilation. A failure is not kept. */
function createCache<Asked, Found extends { uses: number }>(
  restrictingRoles: readonly string[], make: Make<Asked, Found>,
): Find<Asked, Found> {
  const kept = new LRUCache<string, Found>({ max: KEPT });
  const underWay = new Map<string, Promise<Found>>();

  return (asked, roles) => {
    const deciding = restrictingRoles.length === 0 ? [] : roles.filter(role => role === 'admin' || restrictingRoles.includes(role)).sort();
    const key = deciding.length === 0 ? JSON.stringify(asked) : JSON.stringify([asked, deciding]);
    const known = kept.get(key);
    if (known === undefined) return underWay.get(key) ?? makeOnce(key, asked, deciding);
    known.uses += 1;
    return known;
  };

  function makeOnce(key: string, asked: Asked, roles: readonly string[]): Promise<Found> {
    const making = make(asked, roles)
      .then(found => { kept.set(key, found); return found; })
      .finally(() => underWay.delete(key));
    underWay.set(key, making);
    return making;
  }
}

async function compile(owner: postgres.Sql, shape: ReadShape, roles: readonly string[]): Promise<Compiled> {
  const [row] = await owner<{ statement: string; lane: 'point' | 'scan'; enter_first: boolean; revalidates: boolean }[]>`
    select * from service.compile(
      ${JSON.stringify(shape)}::text::jsonb,
      array(select jsonb_array_elements_text(${JSON.stringify(roles)}::text::jsonb)))`;
  if (row === undefined) throw new Error('service.compile returned nothing');
  return { text: row.statement, lane: row.lane, enterFirst: row.enter_first, revalidates: row.revalidates, uses: 1 };
}

/** The plan stands in the text: the server reads it when it prepares the statement, and a lane counts the texts that it keeps. */
async function compileWrite(owner: postgres.Sql, shape: WriteShape, roles: readonly string[]): Promise<CompiledWrite> {
  const [row] = await owner<{ plan: string; fast_path: string | null }[]>`
    select (p - 'fastPath')::text as plan, p ->> 'fastPath' as fast_path
    from service.write_plan(
      ${JSON.stringify(shape)}::text::jsonb,
      array(select jsonb_array_elements_text(${JSON.stringify(roles)}::text::jsonb))) p`;
  if (row === undefined) throw new Error('service.write_plan returned nothing');
  const name = `write_${createHash('sha256').update(row.plan).digest('hex').slice(0, 32)}`;
  const kept = writeStatement(`{"kept":"${name}",${row.plan.slice(1)}`);
  return { once: writeStatement(row.plan), kept, fastPath: row.fast_path, uses: 1 };
}

function writeStatement(plan: string): string {
  return `select service.write(array[$1, $2, $3, $4, $5], $6::jsonb, '${plan.replaceAll("'", "''")}'::jsonb) as body`;
}

/** Without a plan service.write makes its own, or says why there is none. */
export const UNPLANNED_WRITE = 'select service.write(array[$1, $2, $3, $4, $5], $6::jsonb) as body';
