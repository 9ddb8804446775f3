import { LRUCache } from 'lru-cache';
import type postgres from 'postgres';
import type { Shape } from '../grammar/shape.ts';

/** A statement as compiled: its text, the lane it belongs on, and how often it was asked for. */
export type Compiled = { text: string; lane: 'point' | 'scan'; enterFirst: boolean; uses: number };

export type Statements = { find: (shape: Shape, roles: readonly string[]) => Compiled | Promise<Compiled> };

/** Compiled statements that are kept. A shape more than this many others ago is compiled again. */
const KEPT = 2000;

/**
 * The statements of one catalog version, by shape and by those of the caller's roles that decide about fields.
 * Requests that wait for the same shape wait for one compilation.
 */
export function createStatements(owner: postgres.Sql, restrictingRoles: readonly string[]): Statements {
  const compiled = new LRUCache<string, Compiled>({ max: KEPT });
  const underWay = new Map<string, Promise<Compiled>>();

  return { find };

  function find(shape: Shape, roles: readonly string[]): Compiled | Promise<Compiled> {
    const deciding = restrictingRoles.length === 0 ? [] : roles.filter(role => role === 'admin' || restrictingRoles.includes(role)).sort();
    const key = deciding.length === 0 ? JSON.stringify(shape) : JSON.stringify([shape, deciding]);
    const known = compiled.get(key);
    if (known === undefined) return underWay.get(key) ?? compileOnce(key, shape, deciding);
    known.uses += 1;
    return known;
  }

  function compileOnce(key: string, shape: Shape, roles: readonly string[]): Promise<Compiled> {
    const compilation = compile(owner, shape, roles)
      .then(statement => { compiled.set(key, statement); return statement; })
      .finally(() => underWay.delete(key));
    underWay.set(key, compilation);
    return compilation;
  }
}

async function compile(owner: postgres.Sql, shape: Shape, roles: readonly string[]): Promise<Compiled> {
  const [row] = await owner<{ statement: string; lane: 'point' | 'scan'; enter_first: boolean }[]>`
    select * from service.compile(${JSON.stringify(shape)}::text::jsonb, ${roles as string[]}::text[])`;
  if (row === undefined) throw new Error('service.compile returned nothing');
  return { text: row.statement, lane: row.lane, enterFirst: row.enter_first, uses: 1 };
}

/** The text alone, for a statement that runs inside another. */
export async function compiledText(statements: Statements, shape: Shape, roles: readonly string[]): Promise<string> {
  return (await statements.find(shape, roles)).text;
}
