import { chinookAvailable } from '../../harness/database.ts';
import type { TestService } from '../../harness/service.ts';
import type { Asking } from '../client.ts';
import type { Relation } from './data.ts';
import { music } from './music.ts';
import { shop } from './shop.ts';

export type Row = Record<string, any>;
/** The rows that one caller sees: by collection, and the pairs of the junction. */
export type World = { rows: Record<string, Row[]>; junction: Row[]; reached: Map<string, Map<unknown, Row[]>> };

/** The data: the music store where it exists, else the example. */
export const data = chinookAvailable ? music : shop;
export const FIELDS = data.fields;
export const RELATIONS = data.relations;
export const keyOf = (collection: string): string => FIELDS[collection]?.[0] ?? '';
export const relationOf = (collection: string, name: string): Relation | undefined => RELATIONS[collection]?.[name];
export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** More rows, and row security that hides a part of every kind of relation from all but admins. */
export const setup = [
  ...data.rows,
  ...Object.entries(data.hidden).map(([table, divisor]) => `alter table ${table} enable row level security;
    create policy seen on ${table} using (${
    divisor === 0 ? 'true' : `${table}_id % ${divisor} <> 0 or 'admin' = any (string_to_array((select service.roles()), ','))`});`),
].join('\n');

/** The same rows again, as PostgreSQL's own JSON, cut down to what the caller may see. */
export async function load({ sql }: TestService, asking: Asking): Promise<World> {
  const camel = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const read = async (table: string): Promise<Row[]> => {
    const rows = await sql<{ row: Row }[]>`select to_json(t) as row from ${sql(table)} t`;
    return rows.map(({ row }) => Object.fromEntries(Object.entries(row).map(([key, value]) =>
      [camel(key), key.endsWith('_date') && value !== null ? `${value}.000Z` : value])));
  };
  const isAdmin = asking.roles.includes('admin');
  const rows = Object.fromEntries(await Promise.all(Object.keys(FIELDS).map(async table => {
    const divisor = data.hidden[table] ?? 0;
    return [table, (await read(table)).filter(row => isAdmin || divisor === 0 || row[keyOf(table)] % divisor !== 0)] as const;
  })));
  return { rows, junction: await read(data.junction), reached: new Map() };
}

/** The rows that a relation of one row leads to. */
export function related(world: World, collection: string, row: Row, name: string): Row[] {
  const relation = relationOf(collection, name);
  if (!relation) throw new Error(`${collection} has no ${name}`);
  const path = `${collection}.${name}`;
  let reached = world.reached.get(path);
  if (!reached) world.reached.set(path, reached = reach(world, relation));
  return reached.get(row[relation.local]) ?? [];
}

function reach(world: World, { target, kind, local, foreign }: Relation): Map<unknown, Row[]> {
  const rows = (world.rows[target] ?? []).filter(row => row[foreign] !== null);
  if (kind !== 'manyToMany') return Map.groupBy(rows, row => row[foreign] as unknown);
  const byKey = new Map(rows.map(row => [row[foreign] as unknown, row]));
  const pairs = Map.groupBy(world.junction.filter(pair => byKey.has(pair[foreign])), pair => pair[local] as unknown);
  return new Map([...pairs].map(([from, to]) => [from, to.flatMap(pair => byKey.get(pair[foreign]) ?? [])]));
}
