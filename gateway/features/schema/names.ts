import { isObject, type JsonObject } from '../../json/json-file.ts';
import { isStorable } from '../../storable.ts';

/** Where a proposed definition is wrong, and how. */
export type NameProblem = { path: string; problem: string };

/** A collection that is edited may name a file. Names that begin with _ are the service's: _defaults.json is in the same folder. */
const ID = /^[A-Za-z0-9-][A-Za-z0-9_-]*$/;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_$]*$/;
/** Bytes of a name in PostgreSQL. */
const LONGEST = 63;
/** Files in a project's folder that other programs read. */
const FILES_OF_OTHERS = new Set(['package', 'package-lock', 'tsconfig', 'jsconfig', 'rowgate']);

/** Keys whose value becomes a name in PostgreSQL. */
const NAMES = [
  'table', 'schema', 'columnName', 'relationName', 'localKey', 'foreignKeyOnTarget', 'sourceKey', 'sourceColumn', 'targetColumn',
];
/** Keys with values of any form, which are not used for names. */
const FREE = new Set(['admin', 'metadata', 'conditions', 'dynamicProps', 'propertyConfig', 'userSelect', 'ownerId', 'databaseId']);

/** Why a collection cannot be edited under this id; undefined when it can. */
export function idProblem(id: unknown): string | undefined {
  if (typeof id !== 'string' || !ID.test(id)) return 'must match [A-Za-z0-9_-]+, and not begin with _';
  if (FILES_OF_OTHERS.has(id.toLowerCase())) return `is the name of a file that other programs read, ${id}.json`;
  return lengthProblem(id);
}

/**
 * The first name in a definition that cannot be one, text that PostgreSQL cannot hold,
 * or what is nested too deep; undefined without. None reaches the database.
 */
export function nameProblem(definition: JsonObject, root: string): NameProblem | undefined {
  const waiting: Waiting[] = [{ path: root, value: definition, depth: 1, isFree: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value, depth, isFree } = next;
    if (depth > DEEPEST) return { path, problem: `is nested deeper than ${DEEPEST} levels` };
    const problem = isObject(value) && !isFree ? problemAt(path, value, root) : undefined;
    if (problem !== undefined) return problem;
    for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
      if (!isStorable(key) || typeof inner === 'string' && !isStorable(inner)) {
        return { path: `${path}.${readable(key)}`, problem: 'must not hold NUL or half a surrogate pair' };
      }
      if (typeof inner !== 'object' || inner === null) continue;
      waiting.push({ path: `${path}.${key}`, value: inner, depth: depth + 1, isFree: isFree || FREE.has(key) && !holdsProperties(path) });
    }
  }
  return undefined;
}

type Waiting = { path: string; value: object; depth: number; isFree: boolean };

/** As deep as a collection file may be. */
const DEEPEST = 100;

function problemAt(path: string, value: JsonObject, root: string): NameProblem | undefined {
  if (holdsProperties(path)) return holdsColumns(path, root) ? problemOfKeys(path, value) : undefined;
  for (const key of NAMES) {
    const name = value[key];
    if (name === undefined) continue;
    const isIdentifier = key === 'columnName' || path === root;
    if (isIdentifier && !(typeof name === 'string' && IDENTIFIER.test(name))) {
      return { path: `${path}.${key}`, problem: 'must match [A-Za-z_][A-Za-z0-9_$]*' };
    }
    const problem = typeof name === 'string' ? lengthProblem(name) : undefined;
    if (problem !== undefined) return { path: `${path}.${key}`, problem };
  }
  return undefined;
}

/** Its keys are names that the definition chooses. */
function holdsProperties(path: string): boolean {
  return path.endsWith('.properties');
}

/** The properties of a map are keys of JSON; those of a collection and of a junction are columns. */
function holdsColumns(path: string, root: string): boolean {
  return path === `${root}.properties` || path.endsWith('.through.properties');
}

function problemOfKeys(path: string, properties: JsonObject): NameProblem | undefined {
  for (const name of Object.keys(properties)) {
    const problem = lengthProblem(name) ?? (name.startsWith('_') ? 'must not begin with _' : undefined);
    if (problem !== undefined) return { path: `${path}.${name.slice(0, LONGEST)}`, problem };
  }
  return undefined;
}

function readable(key: string): string {
  return key.slice(0, LONGEST).replaceAll('\0', '').toWellFormed();
}

function lengthProblem(name: string): string | undefined {
  return Buffer.byteLength(name) > LONGEST ? `must be at most ${LONGEST} bytes long` : undefined;
}
