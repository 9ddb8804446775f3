import { type TestService } from '../../harness/service.ts';
import { type Asking } from '../client.ts';

export type Row = Record<string, any>;
export type Relation = { target: string; kind: 'belongsTo' | 'hasMany' | 'manyToMany'; local: string; foreign: string };
/** What one caller sees: rows by collection, and the pairs of the junction. */
export type World = { rows: Record<string, Row[]>; junction: Row[]; reached: Map<string, Map<unknown, Row[]>> };

/** The music store as it must be served, written down by hand. The first field is the key. */
export const FIELDS: Record<string, string[]> = {
  track: ['trackId', 'name', 'albumId', 'mediaTypeId', 'genreId', 'composer', 'milliseconds', 'bytes', 'unitPrice'],
  customer: ['customerId', 'firstName', 'lastName', 'company', 'address', 'city', 'state', 'country', 'postalCode', 'phone', 'fax', 'email', 'supportRepId'],
  invoice: ['invoiceId', 'customerId', 'invoiceDate', 'billingAddress', 'billingCity', 'billingState', 'billingCountry', 'billingPostalCode', 'total'],
  album: ['albumId', 'title', 'artistId'],
  employee: ['employeeId', 'lastName', 'firstName', 'title', 'reportsTo', 'birthDate', 'hireDate', 'address', 'city', 'state', 'country', 'postalCode', 'phone', 'fax', 'email'],
  artist: ['artistId', 'name'],
  genre: ['genreId', 'name'],
  media_type: ['mediaTypeId', 'name'],
  playlist: ['playlistId', 'name'],
  invoice_line: ['invoiceLineId', 'invoiceId', 'trackId', 'unitPrice', 'quantity'],
};
const belongsTo = (target: string, local: string, foreign = local): Relation => ({ target, kind: 'belongsTo', local, foreign });
const hasMany = (target: string, foreign: string, local = foreign): Relation => ({ target, kind: 'hasMany', local, foreign });
export const RELATIONS: Record<string, Record<string, Relation>> = {
  track: {
    album: belongsTo('album', 'albumId'), genre: belongsTo('genre', 'genreId'), invoice_line: hasMany('invoice_line', 'trackId'), mediaType: belongsTo('media_type', 'mediaTypeId'),
    playlist: { target: 'playlist', kind: 'manyToMany', local: 'trackId', foreign: 'playlistId' },
  },
  customer: { invoice: hasMany('invoice', 'customerId'), supportRep: belongsTo('employee', 'supportRepId', 'employeeId') },
  invoice: { customer: belongsTo('customer', 'customerId'), invoice_line: hasMany('invoice_line', 'invoiceId') },
  album: { artist: belongsTo('artist', 'artistId'), track: hasMany('track', 'albumId') },
  employee: { customer: hasMany('customer', 'supportRepId', 'employeeId'), employee: hasMany('employee', 'reportsTo', 'employeeId'), reportsTo: belongsTo('employee', 'reportsTo', 'employeeId') },
  artist: { album: hasMany('album', 'artistId') },
  genre: { track: hasMany('track', 'genreId') },
  media_type: { track: hasMany('track', 'mediaTypeId') },
  playlist: { track: { target: 'track', kind: 'manyToMany', local: 'playlistId', foreign: 'trackId' } },
  invoice_line: { invoice: belongsTo('invoice', 'invoiceId'), track: belongsTo('track', 'trackId') },
};
export const keyOf = (collection: string): string => FIELDS[collection]?.[0] ?? '';
export const relationOf = (collection: string, name: string): Relation | undefined => RELATIONS[collection]?.[name];
export const snake = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** Whatever a grammar could trip over, as a value. */
const ODD = [
  '', ' lead', 'trail ', 'a,b', '(x)', '()', '(', 'x)', 'in.(a)', 'eq.x', 'like.%', 'null', '\\', '\\,', 'a\\', '100%', 'under_score', 'a%b_c\\d', 'ÜMLAUT', 'straße', '日本語', '🎵 note', '"quoted"', 'it\'s', '{a,b}',
  'tab\there', 'line\nbreak', 'or(a.eq.1)', 'a.b.c', 'not', '[1]', '+plus+', '&limit=1', '%25', '*', '#', '$1', 'NULL', 'true', '0', '-1e5', '==', ',', '.', ' ',
];
const quoted = (text: string) => `'${text.replaceAll('\'', '\'\'')}'`;

/**
 * Odd texts, rows that lead nowhere, and row security that hides a part of every kind of relation from all but admins.
 * Everything hidden has an id that a small prime divides.
 */
const HIDDEN: Record<string, number> = { track: 7, album: 5, customer: 11, invoice: 13, employee: 3, playlist: 4, playlist_track: 0, genre: 6, artist: 0, media_type: 0, invoice_line: 0 };
export const setup = [
  'set standard_conforming_strings = on;',
  ...ODD.map((text, i) => `insert into track (name, album_id, media_type_id, genre_id, composer, milliseconds, bytes, unit_price) values
    (${quoted(text)}, ${i % 3 === 0 ? 'null' : 1 + i % 6}, ${1 + i % 5}, ${i % 2 === 0 ? 'null' : 1 + i % 20}, ${i % 4 === 0 ? 'null' : quoted(ODD[(i * 7) % ODD.length] ?? '')}, ${i % 5}, ${i % 4 === 1 ? 'null' : i * 2}, ${i % 3}.${i % 2}0);`),
  ...ODD.map((text, i) => `insert into artist (name) values (${i % 9 === 0 ? 'null' : quoted(text)});`),
  ...ODD.slice(0, 12).map(text => `insert into playlist (name) values (${quoted(text)}); insert into genre (name) values (${quoted(text)});`),
  'insert into playlist_track select p.playlist_id, t.track_id from playlist p, track t where t.track_id > 3503 and (p.playlist_id + t.track_id) % 5 = 0;',
  'update customer set support_rep_id = null where customer_id % 6 = 0; update employee set reports_to = employee_id where employee_id = 8;',
  ...Object.entries(HIDDEN).map(([table, divisor]) => `alter table ${table} enable row level security; create policy seen on ${table} using (${
    divisor === 0 ? 'true' : `${table}_id % ${divisor} <> 0 or 'admin' = any (string_to_array((select service.roles()), ','))`});`),
].join('\n');

/** The same rows again, as PostgreSQL's own JSON, cut down to what the caller may see. */
export async function load({ sql }: TestService, asking: Asking): Promise<World> {
  const camel = (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const read = async (table: string): Promise<Row[]> => {
    const rows = await sql<{ row: Row }[]>`select to_json(t) as row from ${sql(table)} t`;
    return rows.map(({ row }) => Object.fromEntries(Object.entries(row).map(([key, value]) => [camel(key), key.endsWith('_date') && value !== null ? `${value}.000Z` : value])));
  };
  const isAdmin = asking.roles.includes('admin');
  const rows = Object.fromEntries(await Promise.all(Object.keys(FIELDS).map(async table => {
    const divisor = HIDDEN[table] ?? 0;
    return [table, (await read(table)).filter(row => isAdmin || divisor === 0 || row[keyOf(table)] % divisor !== 0)] as const;
  })));
  return { rows, junction: await read('playlist_track'), reached: new Map() };
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
