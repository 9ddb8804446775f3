import { createNames } from './body-names.ts';
import type { Listener } from './json-reader.ts';

/** An operation of a batch, as far as its plan needs it. */
export type Operation = {
  op: 'create' | 'update' | 'upsert' | 'delete';
  collection: string;
  names: string[];
  operations?: Record<string, string>;
  /** The target of an upsert. */
  conflict: string[];
  hasRef: boolean;
};

/** Operations that are kept, of those that differ. */
const MOST_OPERATIONS = 1000;
/** Bytes in which a value ends that is read here: the name of a collection, the names of a target. */
const LONGEST = 512;
/** Depth of the names in an operation. Names in its values are one deeper, with an operator two. */
const OPERATION = 3;
const VALUES = OPERATION + 1;

type Found = Listener & { found: () => { names: string[]; batch: Operation[] } };

/**
 * The operations of a batch, `{"operations": [{"op": "create", "collection": …, "values": {…}}, …]}`: each that differs from those
 * before it in more than values. Left out is what cannot be read from here; service_private.batch_requests says what is wrong with it.
 */
export function createOperations(json: Buffer): Found {
  const found = new Map<string, Operation>();
  let isInList = false;
  let isInValues = false;
  let said = new Map<string, unknown>();
  let values = createNames();

  return {
    depth: VALUES + 1, opens, names,
    found: () => { end(); return { names: ['operations'], batch: [...found.values()] }; },
  };

  function opens(depth: number): void {
    if (isInList && depth === OPERATION) end();
  }

  function names(depth: number, name: string, valueFrom: number): void {
    if (depth === 1) isInList = name === 'operations';
    if (!isInList) return;
    if (depth === OPERATION) begin(name, valueFrom);
    else if (depth >= VALUES && isInValues) values.names(depth - OPERATION, name, valueFrom);
  }

  function begin(name: string, valueFrom: number): void {
    isInValues = name === 'values';
    if (isInValues) values = createNames();
    said.set(name, isInValues || name === 'id' ? true : shortValue(json, valueFrom));
  }

  function end(): void {
    const operation = read(said, values.found());
    if (operation !== undefined && found.size < MOST_OPERATIONS) found.set(JSON.stringify(operation), operation);
    said = new Map();
    values = createNames();
    isInValues = false;
  }
}

const OPS: readonly unknown[] = ['create', 'update', 'upsert', 'delete'] satisfies Operation['op'][];

function read(said: ReadonlyMap<string, unknown>, { names, operations }: Pick<Operation, 'names' | 'operations'>): Operation | undefined {
  const op = said.get('op') as Operation['op'];
  const collection = said.get('collection');
  const conflict = said.get('onConflict') ?? said.get('on_conflict') ?? [];
  if (!OPS.includes(op) || typeof collection !== 'string' || !Array.isArray(conflict)) return undefined;
  const sent = op === 'update' && operations && { operations };
  return { op, collection, names: names.toSorted(), ...sent, conflict: conflict as string[], hasRef: said.has('ref') };
}

/** A text, or a list of them. */
function shortValue(json: Buffer, from: number): unknown {
  const [, value] = /^\s*("(?:[^"\\]|\\.)*"|\[[^[\]{}]*\])/.exec(json.toString('utf8', from, Math.min(from + LONGEST, json.length))) ?? [];
  try {
    return value === undefined ? undefined : JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}
