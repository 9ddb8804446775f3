import { type Collection } from '../database/catalog-document.ts';
import { type Named } from './openapi-names.ts';
import { idParameter, queryParameters, type Limits, type Parameter } from './openapi-parameters.ts';
import { type Schema } from './openapi-schemas.ts';

/** One method of one path, before paths are put together. */
export type Entry = { path: string; method: Method; operation: object };
type Method = 'get';

/** An operation that every collection has. */
type Row = {
  method: Method;
  /** Below `/data/<slug>`. */
  path: '' | '/count' | '/{id}';
  id: (stem: string) => string;
  summary: (collection: Collection) => string;
  parameters: (collection: Collection, limits: Limits) => Parameter[];
  answer: (stem: string) => Answer;
};
type Answer = { status: 200; description: string; schema: Schema };

/** What is served, and only that: one row an operation. */
const rows: Row[] = [
  {
    method: 'get', path: '', id: stem => `list${stem}`, summary: ({ name }) => `List ${name}`,
    parameters: (collection, limits) => queryParameters('list', collection, limits),
    answer: page,
  },
  {
    method: 'get', path: '/count', id: stem => `count${stem}`, summary: ({ name }) => `Count ${name}`,
    parameters: (collection, limits) => queryParameters('count', collection, limits),
    answer: () => ({ status: 200, description: 'How many rows match.', schema: count }),
  },
  {
    method: 'get', path: '/{id}', id: stem => `get${stem}ById`, summary: ({ singularName }) => `Get one ${singularName}`,
    parameters: (collection, limits) => [idParameter('id', collection), ...queryParameters('get', collection, limits)],
    answer: stem => ({ status: 200, description: 'The row.', schema: reference(stem) }),
  },
];

const count: Schema = { type: 'object', required: ['count'], properties: { count: { type: 'integer', format: 'int64' } } };

/** The operations of a collection and the lists of its to-many relations. */
export function operationsOf(named: Named, limits: Limits, targets: ReadonlyMap<string, Named>): Entry[] {
  const { collection, stem, tag } = named;
  const own = rows.map(({ method, path, id, summary, parameters, answer }) => ({
    path: collectionPath(collection) + path,
    method,
    operation: operation(tag, id(stem), summary(collection), parameters(collection, limits), answer(stem)),
  }));
  return [...own, ...nestedLists(named, limits, targets)];
}

function nestedLists({ collection, tag, nested }: Named, limits: Limits, targets: ReadonlyMap<string, Named>): Entry[] {
  return nested.flatMap(({ relation, operationId }) => {
    const target = targets.get(relation.target);
    if (target === undefined) return [];
    const parameters = [idParameter('parentId', collection), ...queryParameters('list', target.collection, limits)];
    const summary = `List ${target.collection.name} of one ${collection.singularName} (${relation.name})`;
    return {
      path: `${collectionPath(collection)}/{parentId}/${encodeURIComponent(relation.name)}`,
      method: 'get',
      operation: operation(tag, operationId, summary, parameters, page(target.stem)),
    };
  });
}

/** Percent-encoding also keeps braces in a slug from reading as a path parameter. */
const collectionPath = ({ slug }: Collection): string => `/data/${encodeURIComponent(slug)}`;

function operation(tag: string, operationId: string, summary: string, parameters: Parameter[], { status, description, schema }: Answer): object {
  return { tags: [tag], operationId, summary, parameters, responses: { [status]: json(description, schema), ...errors } };
}

function page(stem: string): Answer {
  const properties = { data: { type: 'array', items: reference(stem) }, meta: reference('PaginationMeta') };
  return { status: 200, description: 'A page of rows.', schema: { type: 'object', required: ['data', 'meta'], properties } };
}

const meanings: readonly (readonly [status: number, meaning: string])[] = [
  [400, 'Malformed, or asks for something that the collection does not have.'],
  [401, 'Not signed in, or the credential was refused.'],
  [403, 'Signed in, but not allowed.'],
  [404, 'There is no such row, or row security hides it.'],
  [500, 'The server failed.'],
];
const errors: object = Object.fromEntries(meanings.map(([status, meaning]) => [status, json(meaning, reference('ErrorResponse'))]));

function json(description: string, schema: Schema): object {
  return { description, content: { 'application/json': { schema } } };
}

function reference(component: string): Schema {
  return { $ref: `#/components/schemas/${component}` };
}
