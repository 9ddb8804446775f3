import type { Collection, Relation } from '../../../catalog/document.ts';
import type { Named } from './names.ts';
import { historyIdParameter, idParameter, parametersOf, type Context as ParameterContext, type Kind } from './parameters.ts';
import { json, responses } from './responses.ts';
import { idSchema, linkedRow, pivotSchema } from './schemas.ts';
import { reference, type Schema } from './values.ts';

/** One method of one path, before paths are put together. */
export type Entry = { path: string; method: Method; operation: object };
type Method = 'get' | 'post' | 'patch' | 'delete';

/** As in a path, but a number is accepted too. */
const anyId: Schema = { anyOf: [{ type: 'string' }, { type: 'number' }] };

/** An operation that every collection has; those that write, every collection that is not read-only. */
type Row = {
  kind: Kind;
  method: Method;
  /** Below `/data/<slug>`. */
  path: '' | '/count' | '/aggregate' | '/{id}' | '/bulk' | '/bulk/delete' | '/{id}/history' | '/{id}/history/{historyId}/revert';
  id: (stem: string) => string;
  summary: (collection: Collection) => string;
  /** The schema of the body; needed where it is no component, or has a required member. */
  body?: (stem: string) => Schema;
};

/** One row for each operation that is served. PUT is PATCH by an old name, and not for new clients. */
const reads: Row[] = [
  { kind: 'list', method: 'get', path: '', id: stem => `list${stem}`, summary: ({ name }) => `List ${name}` },
  { kind: 'count', method: 'get', path: '/count', id: stem => `count${stem}`, summary: ({ name }) => `Count ${name}` },
  { kind: 'aggregate', method: 'get', path: '/aggregate', id: stem => `aggregate${stem}`, summary: ({ name }) => `Aggregate ${name}` },
  { kind: 'get', method: 'get', path: '/{id}', id: stem => `get${stem}ById`, summary: ({ singularName }) => `Get one ${singularName}` },
];
const writes: Row[] = [
  {
    kind: 'create', method: 'post', path: '', id: stem => `create${stem}`, body: stem => reference(`${stem}Input`),
    summary: ({ singularName }) => `Create one ${singularName}`,
  },
  {
    kind: 'update', method: 'patch', path: '/{id}', id: stem => `update${stem}`, body: stem => reference(`${stem}Update`),
    summary: ({ singularName }) => `Change the fields of one ${singularName} that are sent`,
  },
  {
    kind: 'delete', method: 'delete', path: '/{id}', id: stem => `delete${stem}`,
    summary: ({ singularName }) => `Delete one ${singularName}`,
  },
  {
    kind: 'bulkCreate', method: 'post', path: '/bulk', id: stem => `createMany${stem}`, summary: ({ name }) => `Create many ${name}`,
    body: stem => withList('rows', { type: 'array', items: reference(`${stem}Input`) }, {
      upsert: { type: 'boolean', default: false, description: 'Rows that are there already are changed.' },
      onConflict: { type: 'array', items: { type: 'string' }, description: 'With `upsert`: what is unique; the key if it is left out.' },
    }),
  },
  {
    kind: 'bulkUpdate', method: 'patch', path: '/bulk', id: stem => `updateMany${stem}`, summary: ({ name }) => `Change many ${name}`,
    body: stem => withList('updates', { type: 'array', items: {
      type: 'object', required: ['id', 'data'], properties: { id: anyId, data: reference(`${stem}Update`) },
    } }),
  },
  {
    kind: 'bulkDelete', method: 'post', path: '/bulk/delete', id: stem => `deleteMany${stem}`, summary: ({ name }) => `Delete many ${name}`,
    body: () => withList('ids', { type: 'array', items: anyId }),
  },
];

const histories: Row[] = [
  {
    kind: 'history', method: 'get', path: '/{id}/history', id: stem => `history${stem}`,
    summary: ({ singularName }) => `What became of one ${singularName}, the newest first`,
  },
];
const reverts: Row[] = [
  {
    kind: 'revert', method: 'post', path: '/{id}/history/{historyId}/revert', id: stem => `revert${stem}`,
    summary: ({ singularName }) => `Make one ${singularName} what it is in an entry of its history`,
  },
];

export type Context = ParameterContext & { targets: ReadonlyMap<string, Named>; schemas: ReadonlyMap<string, Schema> };

/** The operations of a collection, and those on its to-many relations below one of its rows. */
export function operationsOf(named: Named, context: Context): Entry[] {
  const { collection, stem, tag } = named;
  const own = rowsOf(collection).map(({ kind, method, path, id, summary, body }) => ({
    path: collectionPath(collection) + path,
    method,
    operation: {
      tags: [tag],
      operationId: id(stem),
      summary: summary(collection),
      parameters: [
        ...(path.startsWith('/{id}') ? [idParameter('id', named, context)] : []),
        ...(path.includes('{historyId}') ? [historyIdParameter(context)] : []),
        ...parametersOf(kind, named, context),
      ],
      ...(body && { requestBody: requestBody(body(stem), context.schemas) }),
      responses: responses(kind, { row: reference(stem), id: idSchema(collection) }),
    },
  }));
  return [...own, ...nestedOperations(named, context)];
}

function rowsOf({ readOnly, history }: Collection): Row[] {
  return [...reads, ...(readOnly ? [] : writes), ...(history ? [...histories, ...(readOnly ? [] : reverts)] : [])];
}

function nestedOperations(named: Named, context: Context): Entry[] {
  const { collection, tag, nested } = named;
  return nested.flatMap(({ relation, stem }) => {
    const target = context.targets.get(relation.target);
    if (target === undefined) return [];
    const rows = target.collection.readOnly || relation.kind === 'via' ? reads : [...reads, ...nestedWrites];
    return rows.map(({ kind, method, path, id, summary }) => ({
      path: `${collectionPath(collection)}/{parentId}/${encodeURIComponent(relation.name)}${path}`,
      method,
      operation: {
        tags: [tag],
        operationId: id(stem),
        summary: `${summary(target.collection)} of one ${collection.singularName} (${relation.name})`,
        parameters: [
          idParameter('parentId', named, context),
          ...(path === '/{id}' ? [idParameter('id', target, context)] : []),
          ...parametersOf(kind, target, context).filter(({ $ref }) => kind !== 'create' || !$ref.endsWith('on_conflict')),
        ],
        ...((kind === 'create' || kind === 'update') && { requestBody: requestBody(nestedBody(relation, target, kind), context.schemas) }),
        responses: responses(kind, { row: nestedRow(relation, target, kind), id: idSchema(target.collection) }),
      },
    }));
  });
}

const nestedWrites = writes.filter(({ kind }) => kind === 'create' || kind === 'update' || kind === 'delete');

/** Over a junction reads tell what the link says, too. */
function nestedRow({ pivot }: Relation, { stem }: Named, kind: Kind): Schema {
  return kind === 'list' || kind === 'get' ? linkedRow(reference(stem), pivot) : reference(stem);
}

/** The path identifies the parent, so the reference to it need not be sent; over a junction the link may be changed alone. */
function nestedBody({ kind, pivot }: Relation, { stem }: Named, write: 'create' | 'update'): Schema {
  const isCreated = kind === 'manyToMany' && write === 'create';
  const row = reference(isCreated ? `${stem}Input` : `${stem}Update`);
  if (write === 'create' || pivot === null) return row;
  return { anyOf: [row, { type: 'object', required: ['_pivot'], properties: { _pivot: pivotSchema(pivot) } }] };
}

/** Percent-encoding also keeps braces in a slug from reading as a path parameter. */
const collectionPath = ({ slug }: Collection): string => `/data/${encodeURIComponent(slug)}`;

/** Nothing at all is an empty object, so a body has to be there only where something in it has to. */
function requestBody(schema: Schema, schemas: ReadonlyMap<string, Schema>): object {
  const component = typeof schema['$ref'] === 'string' ? schemas.get(schema['$ref'].replace(/.*\//, '')) : schema;
  const isNeeded = component?.['required'] !== undefined;
  return { ...(isNeeded && { required: true }), content: json(schema) };
}

/** A body with a list, which has to be there. */
export function withList(list: string, items: Schema, others: Record<string, Schema> = {}): Schema {
  return { type: 'object', required: [list], properties: { [list]: items, ...others } };
}
