import { ACROSS, type Named } from './names.ts';
import { withList, type Entry } from './operations.ts';
import { parametersOf, type Context } from './parameters.ts';
import { batchResponses, collectionsResponses, json } from './responses.ts';
import type { Schema } from './values.ts';

export const acrossTag = { name: ACROSS, description: 'Requests that belong to no single collection.' };

/** The operations that belong to no single collection; none where nothing is served. */
export function acrossEntries(named: readonly Named[], context: Context): Entry[] {
  return named.length === 0 ? [] : [collectionsEntry, ...batchEntry(named, context)];
}

const collectionsEntry: Entry = {
  path: '/data/collections', method: 'get', operation: {
    tags: [ACROSS], operationId: 'collections', summary: 'List the collections that this caller may read',
    parameters: [], responses: collectionsResponses,
  },
};

const operation: Schema = {
  type: 'object', required: ['op', 'collection'],
  properties: {
    op: { type: 'string', enum: ['create', 'update', 'upsert', 'delete'] },
    collection: { type: 'string' },
    id: { description: 'Of an update or a delete. May be `{"$ref": "name.field"}`.' },
    values: { type: 'object', additionalProperties: true, description: 'May hold `{"$ref": "name.field"}` at any depth.' },
    onConflict: { type: 'array', items: { type: 'string' }, description: 'Of an upsert; the key if it is left out.' },
    ref: { type: 'string', description: 'A name by which later operations refer to the row.' },
  },
};

/** Not there where nothing can be written. */
function batchEntry(named: readonly Named[], context: Context): Entry[] {
  const [first] = named.filter(({ collection }) => !collection.readOnly);
  if (first === undefined) return [];
  return [{
    path: '/data/_batch', method: 'post', operation: {
      tags: [ACROSS], operationId: 'batch', summary: 'Write rows of several collections in one transaction',
      parameters: parametersOf('bulkUpdate', first, context).filter(({ $ref }) => !$ref.endsWith('fields')),
      requestBody: { required: true, content: json(withList('operations', { type: 'array', items: operation })) },
      responses: batchResponses,
    },
  }];
}
