import { CALLER_PARAMETERS, type Condition, type Group, type Include, type Leaf, type ReadShape } from '../grammar/read/shape.ts';
import { collectionAt, type CatalogDocument } from './document.ts';

type Check = (value: string) => boolean;
type Served = Pick<CatalogDocument, 'collections'>;

const MONTH_AND_DAY = '(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31';
const DATE = `[1-9][0-9]{3}-(?:${MONTH_AND_DAY})`;
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,6})?';
const ANY = '[^]*';

/** Texts that PostgreSQL surely reads as the type, by its name. A type that is not here has none. */
const PATTERNS: Readonly<Record<string, string>> = {
  smallint: '-?[0-9]{1,4}',
  integer: '-?[0-9]{1,9}',
  bigint: '-?[0-9]{1,18}',
  numeric: '-?[0-9]{1,100}(?:[.][0-9]{1,100})?',
  real: '-?[0-9]{1,15}(?:[.][0-9]{1,15})?',
  'double precision': '-?[0-9]{1,15}(?:[.][0-9]{1,15})?',
  boolean: 'true|false',
  uuid: '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
  date: DATE,
  'timestamp with time zone': `(?:${DATE})T${TIME}Z`,
  'timestamp without time zone': `(?:${DATE})T${TIME}Z`,
  text: ANY,
  'character varying': ANY,
  bpchar: ANY,
};

/** Operators that look a value up. How long others take depends on the value more than on the shape. */
const LOOKS_UP = new Set<Condition[0]>(['==', 'in']);

/**
 * Whether the values of a request can be in one statement with those of others. Alone, a value that is none of its type is refused before
 * any row is read. Among others it would be read with the rows, so that the answer told of rows that the caller must not see: only values
 * that are surely of their type may be there, and none on which the time depends.
 */
export function safeValues(shape: ReadShape, document: Served): (values: readonly string[]) => boolean {
  const { path, where, logical, limit, offset, include } = shape;
  const checks: (Check | undefined)[] = [];
  const add = (parameter: number | undefined, check: Check | undefined) => {
    if (parameter !== undefined) checks[parameter - CALLER_PARAMETERS - 1] = check;
  };
  path.forEach((part, i) => { if (typeof part === 'number') add(part, idCheck(collectionAt(path.slice(0, i), document), document)); });
  for (const { column, condition: [operator, value] } of leavesOf(where, logical)) {
    const pattern = LOOKS_UP.has(operator) ? patternOf(collectionAt(path, document), column, document) : undefined;
    if (typeof value === 'number') add(value, matches(pattern));
    else if (value !== null) add(value[0], matches(pattern === undefined || pattern === ANY ? pattern : listOf(pattern)));
  }
  for (const parameter of [limit?.param, ...limitsOf(include)]) add(parameter, matches('[0-9]{1,9}'));
  add(offset, matches('[0-9]{1,3}'));
  return values => values.length > 0 && values.every((value, i) => checks[i]?.(value) === true);
}

function matches(pattern: string | undefined): Check | undefined {
  if (pattern === undefined) return undefined;
  if (pattern === ANY) return () => true;
  const whole = new RegExp(`^(?:${pattern})$`);
  return value => whole.test(value);
}

function listOf(pattern: string): string {
  return `[{](?:"(?:${pattern})"(?:,"(?:${pattern})")*)?[}]`;
}

function patternOf(slug: string | number | undefined, name: string, { collections }: Served): string | undefined {
  const property = collections.find(collection => collection.slug === slug)?.properties.find(one => one.name === name);
  return property && PATTERNS[property.sqlType];
}

/** Parts of a key of several are percent-encoded: the database decodes those that have an escape. */
function idCheck(slug: string | number | undefined, document: Served): Check | undefined {
  const { key = [] } = document.collections.find(collection => collection.slug === slug) ?? {};
  const parts = key.map(name => matches(patternOf(slug, name, document)));
  const [only] = parts;
  if (parts.length === 1) return only;
  return id => {
    const given = id.split(':::');
    return given.length === parts.length && given.every((part, i) => !part.includes('%') && parts[i]?.(part) === true);
  };
}

function leavesOf(where: ReadShape['where'] = {}, logical?: Group): Leaf[] {
  const leaves = Object.entries(where).flatMap(([column, conditions]) => conditions.map(condition => ({ column, condition })));
  return logical === undefined ? leaves : [...leaves, ...logical.conditions.flatMap(part => 'type' in part ? leavesOf({}, part) : [part])];
}

/** Where an include filters its rows nothing vouches for the values. */
function limitsOf(include: Record<string, Include> = {}): (number | undefined)[] {
  return Object.values(include).flatMap(({ limit, include: below }) => [limit, ...limitsOf(below)]);
}
