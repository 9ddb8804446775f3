import { LRUCache } from 'lru-cache';
import { createCoalescing } from './coalescing.ts';
import type { Coalescing, Compiled, Kept } from './compiled.ts';
import type { CatalogDocument } from './document.ts';
import { safeValues } from './safe-values.ts';
import type { FairExecutor } from '../database/fair-executor.ts';
import type { ReadShape } from '../grammar/read/shape.ts';
import type { WriteShape } from '../grammar/write/shape.ts';

/** Where a refusal begins: bytes of an answer, rows that an include without a limit finds of one parent, rows of a bulk write. */
export type Bounds = { answer: number; related: number; items: number };

export type Compiling = {
  /** Where statements are compiled. */
  compiler: FairExecutor;
  bounds: Bounds;
  counts?: CacheCounts;
};

/** Requests for statements that were kept, and those for which one was compiled. */
export type CacheCounts = { hits: number; misses: number };

export type CompiledWrite = Kept & {
  /** For one write among many, which needs the plan apart from its statement. */
  plan: string;
  text: string;
  /** It takes the text of the request once more, as $7. */
  raw: boolean;
  /** service_private.fast_path: takes the id as one more parameter and answers yes or nothing. */
  fastPath: string | null;
};

export type Statements = {
  find: Find<ReadShape, Compiled>;
  /** The statement of a write: $1 to $5 the caller's claims, $6 request. */
  findWrite: Find<WriteShape, CompiledWrite>;
  /** How many are kept. */
  readonly size: number;
};

/** `caller`: the key that a compilation counts against. */
type Find<Asked, Found> = (asked: Asked, roles: readonly string[], caller?: () => string) => Found | Promise<Found>;

/** Compiled statements that are kept, of reads and of writes, and the characters of them. A shape of long ago is compiled again. */
const KEPT = { max: 2000, maxSize: 32 * 1024 * 1024 };

/**
 * The statements of one catalog version, by shape and by those of the caller's roles that decide about fields and tenants.
 */
export function createStatements(compiling: Compiling, document: Served, most = KEPT): Statements {
  const { restrictingRoles } = document;
  const options = { restrictingRoles, most, counts: compiling.counts ?? { hits: 0, misses: 0 } };
  const reads = createCache<ReadShape, Compiled>(options, async (shape, roles, caller) => {
    const compiled = await compile(compiling, shape, roles, caller);
    return { ...compiled, ...coalescingOf(shape, roles, compiled) };
  });
  const writes = createCache<WriteShape, CompiledWrite>(options, (...asked) => compileWrite(compiling, ...asked));
  const { find } = reads;
  return { find, findWrite: writes.find, get size() { return reads.size() + writes.size(); } };

  function coalescingOf(shape: ReadShape, roles: readonly string[], { enterFirst }: Compiled): { coalescing?: Coalescing } {
    const { op, many, after, search, vector } = shape;
    if (many !== undefined || enterFirst || !COALESCED.has(op) || (after ?? search ?? vector) !== undefined) return {};
    return {
      coalescing: createCoalescing({
        find: (values, caller) => find({ ...shape, many: values }, roles, caller),
        takes: safeValues(shape, document),
      }),
    };
  }
}

/** Reads that may be coalesced, but for those with a cursor or a search, whose values are worked out once a statement. */
const COALESCED = new Set<ReadShape['op']>(['get', 'list', 'count']);

type Served = Pick<CatalogDocument, 'restrictingRoles' | 'collections'>;
type CacheOptions = { restrictingRoles: readonly string[]; most: typeof KEPT; counts: CacheCounts };
type Make<Asked, Found> = (asked: Asked, roles: readonly string[], caller: string) => Promise<Found>;

const nobody = () => '';

function used<Found extends Kept>(found: Found): Found {
  found.uses += 1;
  return found;
}

/** Requests that wait for the same shape wait for one compilation. A failure is not kept. */
function createCache<Asked, Found extends Kept>(
  { restrictingRoles, most, counts }: CacheOptions, make: Make<Asked, Found>,
): { find: Find<Asked, Found>; size: () => number } {
  const kept = new LRUCache<string, Found>({ ...most, sizeCalculation: ({ length }, key) => length + key.length });
  const underWay = new Map<string, Promise<Found>>();

  return { find, size: () => kept.size };

  function find(asked: Asked, roles: readonly string[], caller = nobody): Found | Promise<Found> {
    const deciding = restrictingRoles.length === 0 ? [] : roles.filter(role => role === 'admin' || restrictingRoles.includes(role)).sort();
    const key = deciding.length === 0 ? JSON.stringify(asked) : JSON.stringify([asked, deciding]);
    const known = kept.get(key);
    if (known !== undefined) {
      counts.hits += 1;
      return used(known);
    }
    counts.misses += 1;
    return underWay.get(key)?.then(used) ?? makeOnce(key, () => make(asked, deciding, caller()));
  }

  function makeOnce(key: string, make: () => Promise<Found>): Promise<Found> {
    const making = make()
      .then(found => { kept.set(key, found); return found; })
      .finally(() => underWay.delete(key));
    underWay.set(key, making);
    return making;
  }
}

type CompiledRow = { statement: string; lane: 'point' | 'scan'; enter_first: boolean; revalidates: boolean; before: string | null };

async function compile({ compiler, bounds }: Compiling, shape: ReadShape, roles: readonly string[], caller: string): Promise<Compiled> {
  const [row] = await compiler(caller, sql => sql<CompiledRow[]>`
    select * from service.compile(
      ${JSON.stringify({ ...shape, bounds })}::text::jsonb,
      array(select jsonb_array_elements_text(${JSON.stringify(roles)}::text::jsonb)))`);
  if (row === undefined) throw new Error('service.compile returned nothing');
  const { statement: text, lane, enter_first: enterFirst, revalidates, before } = row;
  return { text, length: text.length, lane, enterFirst, revalidates, ...(before !== null && { before }), uses: 1 };
}

type PlanRow = { plan: string; raw: boolean; fast_path: string | null };

/** The plan is part of the text: the server reads it when it prepares the statement, and a lane counts the texts that it keeps. */
async function compileWrite(
  { compiler, bounds }: Compiling, shape: WriteShape, roles: readonly string[], caller: string,
): Promise<CompiledWrite> {
  const [row] = await compiler(caller, sql => sql<PlanRow[]>`
    select (p - 'fastPath')::text as plan, p ? 'raw' as raw, p ->> 'fastPath' as fast_path
    from service_private.write_plan(
      ${JSON.stringify({ ...shape, bounds })}::text::jsonb,
      array(select jsonb_array_elements_text(${JSON.stringify(roles)}::text::jsonb))) p`);
  if (row === undefined) throw new Error('service_private.write_plan returned nothing');
  const { plan, raw, fast_path: fastPath } = row;
  const planned = `'${plan.replaceAll("'", "''")}'::jsonb`;
  const text = `select service_private.write(array[$1, $2, $3, $4, $5], $6::jsonb, ${planned}${raw ? ', $7' : ''}) as body`;
  return { plan, text, raw, length: 2 * text.length, fastPath, uses: 1 };
}

/**
 * For a blank plan, or one without this case, service_private.write makes its own plans, or raises the reason why it cannot. $8: those of
 * service_private.write_many.
 */
export const UNPLANNED_WRITE = 'select service_private.write(array[$1, $2, $3, $4, $5], $6::jsonb, nullif($8, \'\')::jsonb, $7) as body';
