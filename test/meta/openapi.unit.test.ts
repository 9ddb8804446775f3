import { test } from 'tap';
import type { Property } from '../../gateway/catalog/document.ts';
import { catalogOf, collectionOf, idProperty, propertyOf, relationTo } from './catalog.ts';
import { documentOf, operationAt, operations, parameter, shown } from './document.ts';

const artists = collectionOf('artist', {
  name: 'Artists', singularName: 'Artist', description: 'Who made it.',
  properties: [idProperty, propertyOf('name', { required: true, nullable: false })],
  relations: [relationTo('album', 'hasMany'), relationTo('genre', 'manyToMany'), relationTo('profile', 'hasOne')],
});
const albums = collectionOf('album', {
  name: 'Albums', singularName: 'Album',
  properties: [
    idProperty, propertyOf('title'), propertyOf('artistId', { type: 'number', sqlType: 'bigint', required: true, nullable: false }),
  ],
  relations: [relationTo('artist', 'belongsTo')],
});
const genres = collectionOf('genre', { name: 'Genres', singularName: 'Genre', relations: [relationTo('artist', 'via')] });
const profiles = collectionOf('profile', { name: 'Profiles', singularName: 'Profile' });
const music = catalogOf(artists, albums, genres, profiles);

test('without collections the document is valid and has no paths', async t => {
  const document = await documentOf(t, catalogOf());
  t.same(document.paths, {});
  t.same(document.tags, []);
});

test('every collection has its reads and its writes; to-many relations are read and written below a row', async t => {
  const document = await documentOf(t, music);
  const ids = Object.fromEntries(Object.entries(document.paths).map(([path, item]) =>
    [path, Object.entries(item).map(([method, { operationId }]) => `${method} ${operationId}`).join(' ')]));
  const own = (slug: string, stem: string) => ({
    [`/data/${slug}`]: `get list${stem} post create${stem}`,
    [`/data/${slug}/count`]: `get count${stem}`,
    [`/data/${slug}/aggregate`]: `get aggregate${stem}`,
    [`/data/${slug}/{id}`]: `get get${stem}ById patch update${stem} delete delete${stem}`,
    [`/data/${slug}/bulk`]: `post createMany${stem} patch updateMany${stem}`,
    [`/data/${slug}/bulk/delete`]: `post deleteMany${stem}`,
  });
  const readOnly = (path: string, stem: string) => ({
    [path]: `get list${stem}`,
    [`${path}/count`]: `get count${stem}`,
    [`${path}/aggregate`]: `get aggregate${stem}`,
    [`${path}/{id}`]: `get get${stem}ById`,
  });
  const nested = (path: string, stem: string) => ({
    ...readOnly(path, stem),
    [path]: `get list${stem} post create${stem}`,
    [`${path}/{id}`]: `get get${stem}ById patch update${stem} delete delete${stem}`,
  });
  t.same(ids, {
    ...own('album', 'Album'), ...own('artist', 'Artist'), ...own('genre', 'Genre'), ...own('profile', 'Profile'),
    '/data/_batch': 'post batch', '/data/collections': 'get collections',
    ...nested('/data/artist/{parentId}/album', 'ArtistAlbum'), ...nested('/data/artist/{parentId}/genre', 'ArtistGenre'),
    ...readOnly('/data/genre/{parentId}/artist', 'GenreArtist'),
  });
  t.same(Object.keys(document.components.schemas), [
    'ErrorResponse', 'PaginationMeta', ...['Album', 'Artist', 'Genre', 'Profile'].flatMap(stem => [stem, `${stem}Input`, `${stem}Update`]),
  ]);
  t.same(document.tags[1], { name: 'Artists', description: 'Who made it.' });
  t.same(['/data/_batch', '/data/collections'].flatMap(path => Object.values(document.paths[path] ?? {}).map(({ tags }) => tags)),
    [['Across collections'], ['Across collections']]);
});

test('only a collection with history has the history of its rows, and a way back where it is written', async t => {
  const document = await documentOf(t,
    catalogOf(collectionOf('note', { history: true }), collectionOf('archive', { history: true, readOnly: true }), collectionOf('plain')));
  const [list, revert] = ['/data/note/{id}/history', '/data/note/{id}/history/{historyId}/revert'];
  t.same(Object.keys(document.paths).filter(path => path.includes('history')), ['/data/archive/{id}/history', list, revert]);
  t.match(operationAt(document, list), { operationId: 'historyNote', responses: { 200: { content: { 'application/json': {
    schema: { properties: { data: { items: { required: ['id', 'table_name'] } }, meta: { $ref: '#/components/schemas/PaginationMeta' } } },
  } } } } });
  t.match(parameter(operationAt(document, list), 'limit'), { schema: { maximum: 100, default: 20 } });
  const { operationId, responses, requestBody } = operationAt(document, revert, 'post');
  t.match([operationId, requestBody, Object.keys(responses)],
    ['revertNote', undefined, ['200', '400', '401', '403', '404', '409', '413', '500', '503']]);
  t.match(responses['200'], { content: {
    'application/json': { schema: { properties: { data: { $ref: '#/components/schemas/Note' }, meta: { required: ['reverted_from'] } } } },
  } });
});

test('paths stand below the base path', async t => {
  t.same((await documentOf(t, music)).servers, [{ url: '/api' }]);
  t.same((await documentOf(t, music, { basePath: '' })).servers, [{ url: '/' }]);
});

test('a bearer token is asked for where data routes ask for it, and taken everywhere', async t => {
  const closed = await documentOf(t, music);
  t.same(closed.security, [{ bearerAuth: [] }]);
  t.same(closed.components.securitySchemes, { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } });
  const open = await documentOf(t, music, { authRequired: false });
  t.same(open.security, [{}, { bearerAuth: [] }]);
  t.same(open.components.securitySchemes, closed.components.securitySchemes);
});

test('a list returns a page, a count a number, an aggregate rows, a get its row, and all of them fail alike', async t => {
  const document = await documentOf(t, music);
  const page = {
    properties: { data: { items: { $ref: '#/components/schemas/Album' } }, meta: { $ref: '#/components/schemas/PaginationMeta' } },
  };
  const expected = {
    '': page, '/count': { required: ['count'] }, '/aggregate': { required: ['data'], properties: { data: { type: 'array' } } },
    '/{id}': { $ref: '#/components/schemas/Album' },
  };
  for (const path of ['/data/album', '/data/artist/{parentId}/album']) {
    for (const [below, schema] of Object.entries(expected)) {
      const { responses } = operationAt(document, path + below);
      t.match(responses['200'], { content: { 'application/json': { schema } } });
      t.same(Object.keys(responses), ['200', ...(below === '/{id}' ? ['304'] : []), '400', '401', '403', '404', '413', '500', '503']);
      t.match(responses['404'], { content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' } } } });
    }
  }
  t.match(document.components.schemas, {
    PaginationMeta: { properties: { total: {}, limit: {}, offset: {}, hasMore: {}, nextCursor: {} } },
    ErrorResponse: { properties: { error: { required: ['message', 'code'], properties: { details: {}, requestId: {} } } } },
  });
});

test('both limits stand at the limit parameter, also of nested lists', async t => {
  const document = await documentOf(t, music, { defaultLimit: 25, maxLimit: 200 });
  for (const path of ['/data/album', '/data/artist/{parentId}/album']) {
    t.same(parameter(operationAt(document, path), 'limit')?.schema, { type: 'integer', minimum: 1, maximum: 200, default: 25 });
  }
});

test('each operation takes the parameters that it heeds', async t => {
  const document = await documentOf(t, music);
  const names = (path: string, method = 'get') => operationAt(document, path, method).parameters.map(({ name }) => name);
  const list = ['limit', 'offset', 'page', 'after', 'orderBy', 'fields', 'distinct', 'include'];
  const narrowing = ['searchString', 'where', 'or', 'and', 'not', 'deleted'];
  const filters = ['id', 'title', 'artistId'];
  t.same(names('/data/album'), [...list, ...narrowing, 'Prefer', ...filters]);
  t.same(names('/data/artist/{parentId}/album'), ['parentId', ...list, ...narrowing, 'Prefer', ...filters],
    'the fields of the related rows');
  t.same(names('/data/album/count'), [...narrowing, ...filters]);
  t.same(names('/data/album/aggregate'), ['select', 'groupBy', 'orderBy', 'limit', 'offset', ...narrowing, ...filters]);
  t.same(names('/data/album/{id}'), ['id', 'fields', 'include', 'deleted', 'If-None-Match']);
  t.same(names('/data/artist/{parentId}/album/{id}'), ['parentId', 'id', 'fields', 'include', 'deleted', 'If-None-Match']);
  t.same(names('/data/album', 'post'), ['fields', 'on_conflict', 'Prefer', 'Idempotency-Key']);
  t.same(names('/data/album/{id}', 'patch'), ['id', 'fields', 'If-Match', 'Prefer', 'Idempotency-Key']);
  t.same(names('/data/album/{id}', 'delete'), ['id', 'hard', 'If-Match', 'Idempotency-Key']);
  t.same(names('/data/album/bulk', 'post'), ['fields', 'Prefer', 'Idempotency-Key']);
  t.same(names('/data/album/bulk', 'patch'), ['fields', 'Prefer', 'Idempotency-Key']);
  t.same(names('/data/album/bulk/delete', 'post'), ['hard', 'Idempotency-Key']);
  t.same(names('/data/_batch', 'post'), ['Prefer', 'Idempotency-Key']);
  t.match(operationAt(document, '/data/album/aggregate').parameters[0], { name: 'select', required: true });
  t.match(parameter(operationAt(document, '/data/album'), 'Prefer', 'header')?.description, /count=none/);
});

test('a vector search is offered where there are vectors to search, and its rows say how far they are', async t => {
  const document = await documentOf(t, catalogOf(
    collectionOf('doc', { properties: [
      idProperty, propertyOf('near', { type: 'vector', sqlType: 'vector', attributes: { dimensions: 3 } }),
      propertyOf('hidden', { type: 'vector', sqlType: 'vector', readRoles: [] }),
    ] }),
    collectionOf('plain'),
  ));
  const offered = (path: string) =>
    operationAt(document, path).parameters.filter(({ name }) => name.startsWith('vector')).map(({ name }) => name);
  for (const path of ['/data/doc', '/data/doc/count', '/data/doc/aggregate']) {
    t.same(offered(path), ['vector_search', 'vector', 'vector_distance', 'vector_threshold']);
    t.same(parameter(operationAt(document, path), 'vector_search')?.schema, { type: 'string', enum: ['near'] });
  }
  t.same([...offered('/data/plain'), ...offered('/data/doc/{id}')], []);
  t.match(document.components.schemas['Doc'],
    { required: ['id'], properties: { _distance: { type: 'number', nullable: true, readOnly: true } } });
  t.notOk(document.components.schemas['DocInput']?.properties['_distance']);
  t.notOk(document.components.schemas['Plain']?.properties['_distance']);
});

test('the include parameter names the relations', async t => {
  const document = await documentOf(t, music);
  t.match(parameter(operationAt(document, '/data/artist'), 'include')?.description, /Here: album, genre, profile\.$/);
  t.match(parameter(operationAt(document, '/data/profile/{id}'), 'include')?.description, /Here there are none\.$/);
  const limited = await documentOf(t, music, { defaultIncludeLimit: 30, maxIncludeLimit: 400 });
  t.match(parameter(operationAt(limited, '/data/artist'), 'include')?.description,
    /at most 400\. Without one a parent with more than 30 rows is refused\./);
});

test('scalar properties are filters, written as text', async t => {
  const document = await documentOf(t, catalogOf(collectionOf('thing', {
    properties: [
      idProperty, propertyOf('at', { type: 'date', sqlType: 'date' }), propertyOf('done', { type: 'boolean', sqlType: 'boolean' }),
      propertyOf('tags', { type: 'array', sqlType: 'text[]' }), propertyOf('extra', { type: 'map', sqlType: 'jsonb' }),
      propertyOf('place', { type: 'geopoint', sqlType: 'jsonb' }), propertyOf('near', { type: 'vector', sqlType: 'vector' }),
      propertyOf('file', { type: 'binary', sqlType: 'bytea' }), propertyOf('limit'), propertyOf('searchString'),
      propertyOf('closed', { readRoles: [] }),
    ],
  })));
  const list = operationAt(document, '/data/thing');
  const filters = list.parameters.slice(list.parameters.findIndex(({ name }) => name === 'Prefer') + 1);
  t.same(filters.map(({ name, schema }) => [name, schema]),
    [['id', { type: 'string' }], ['at', { type: 'string' }], ['done', { type: 'string' }]]);
  t.equal(list.parameters.filter(({ name }) => name === 'limit').length, 1, 'a reserved name keeps its meaning');
});

test('a row requires its key and what a create requires, and tells what may be null', async t => {
  const { components } = await documentOf(t, music);
  t.same(components.schemas['Album']?.required, ['id', 'artistId']);
  t.same(components.schemas['Album']?.properties, {
    artist: {
      type: 'object', nullable: true, readOnly: true, description: 'There only where `include` names it.',
      allOf: [{ $ref: '#/components/schemas/Artist' }],
    },
    id: { type: 'integer', format: 'int32', readOnly: true },
    title: { type: 'string', nullable: true },
    artistId: { type: 'integer', format: 'int64' },
  });
});

test('related rows are optional properties of a row, as include embeds them', async t => {
  const linked = collectionOf('post', {
    name: 'Posts', singularName: 'Post',
    relations: [{ ...relationTo('artist', 'manyToMany', 'artists'), pivot: ['part'] }, relationTo('nothing', 'hasMany')],
  });
  const { components } = await documentOf(t, catalogOf(...music.collections, linked));
  const description = 'There only where `include` names it.';
  const artist = { $ref: '#/components/schemas/Artist' };
  t.same(components.schemas['Artist']?.required, ['id', 'name']);
  t.match(components.schemas['Artist']?.properties, {
    album: { type: 'array', readOnly: true, description, items: { $ref: '#/components/schemas/Album' } },
    profile: { nullable: true, allOf: [{ $ref: '#/components/schemas/Profile' }] },
  });
  t.same(components.schemas['Post']?.properties['artists'], {
    type: 'array', readOnly: true, description,
    items: { allOf: [artist, { type: 'object', properties: { _pivot: { type: 'object', properties: { part: {} } } } }] },
  });
  t.notOk(components.schemas['Post']?.properties['nothing'], 'what is not served is not promised');
});

test('a parameter is in the document once, for all operations', async t => {
  const many = catalogOf(...Array.from({ length: 40 }, (_, n) => collectionOf(`c${n}`, {
    name: `C ${n}`, singularName: `C ${n}`,
    properties: [idProperty, propertyOf('name', n === 1 ? { attributes: { description: 'Particular.' } } : {}), propertyOf('größe')],
  })));
  const document = await documentOf(t, many);
  const names = Object.keys(document.components.parameters);
  t.same(names.filter(name => /^(?:filter|path|C\d+)\./.test(name)), ['filter.id', 'filter.name', 'filter.gr__e', 'path.id', 'C1.name']);
  t.equal(parameter(operationAt(document, '/data/c1'), 'name')?.description.endsWith('Particular.'), true);
  t.equal(names.filter(name => name.includes('include')).length, 1);
});

test('column types', async t => {
  const expected: [given: Partial<Property>, schema: object][] = [
    [{ sqlType: 'text' }, { type: 'string' }],
    [{ sqlType: 'character varying', attributes: { maxLength: 80 } }, { type: 'string', maxLength: 80 }],
    [{ sqlType: 'uuid' }, { type: 'string', format: 'uuid' }],
    [{ sqlType: 'interval' }, { type: 'string' }],
    [{ sqlType: 'public.order_status', attributes: { enum: ['open', 'shipped'] } }, { type: 'string', enum: ['open', 'shipped'] }],
    [{ sqlType: 'text', attributes: { format: 'email' } }, { type: 'string', format: 'email' }],
    [{ type: 'number', sqlType: 'smallint' }, { type: 'integer', format: 'int32' }],
    [{ type: 'number', sqlType: 'bigint' }, { type: 'integer', format: 'int64' }],
    [{ type: 'number', sqlType: 'numeric' }, { type: 'number' }],
    [{ type: 'number', sqlType: 'double precision' }, { type: 'number', format: 'double' }],
    [{ type: 'number', sqlType: 'money' }, { type: 'number' }],
    [{ type: 'boolean', sqlType: 'boolean' }, { type: 'boolean' }],
    [{ type: 'date', sqlType: 'date' }, { type: 'string', format: 'date' }],
    [{ type: 'date', sqlType: 'timestamp with time zone' }, { type: 'string', format: 'date-time' }],
    [{ type: 'date', sqlType: 'timestamp without time zone' }, { type: 'string', format: 'date-time' }],
    [{ type: 'date', sqlType: 'time without time zone' }, { type: 'string' }],
    [{ type: 'array', sqlType: 'text[]' }, { type: 'array', items: { type: 'string' } }],
    [{ type: 'array', sqlType: 'integer[]' }, { type: 'array', items: { type: 'integer', format: 'int32' } }],
    [{ type: 'array', sqlType: 'timestamp with time zone[]' }, { type: 'array', items: { type: 'string', format: 'date-time' } }],
    [{ type: 'array', sqlType: 'jsonb[]' }, { type: 'array', items: {} }],
    [{ type: 'array', sqlType: 'jsonb' }, { type: 'array', items: {} }],
    [{ type: 'map', sqlType: 'jsonb' }, {}],
    [
      { type: 'vector', sqlType: 'public.vector', attributes: { dimensions: 3 } },
      { type: 'array', items: { type: 'number' }, minItems: 3, maxItems: 3 },
    ],
    [{ type: 'vector', sqlType: 'halfvec' }, { type: 'array', items: { type: 'number' } }],
    [{ type: 'binary', sqlType: 'bytea' }, { type: 'string', format: 'byte' }],
    [{ type: 'geopoint', sqlType: 'jsonb' }, {
      type: 'object', required: ['latitude', 'longitude'], properties: { latitude: { type: 'number' }, longitude: { type: 'number' } },
    }],
  ];
  const properties = expected.map(([given], i) => propertyOf(`field${i}`, { nullable: false, ...given }));
  const schemas = await shown(t, properties);
  for (const [i, [{ type = 'string', sqlType = '' }, schema]] of expected.entries()) {
    t.same(schemas[`field${i}`], schema, `${type} ${sqlType}`);
  }
});

test('null is one of the values of a nullable enum', async t => {
  const { state } = await shown(t, [propertyOf('state', { sqlType: 'public.state', attributes: { enum: ['a', 'b'] } })]);
  t.same(state, { type: 'string', enum: ['a', 'b', null], nullable: true });
});

test('comments are descriptions', async t => {
  const property = propertyOf('price', { nullable: false, attributes: { description: 'In euros, tax included.' } });
  t.same(await shown(t, [property]), { price: { type: 'string', description: 'In euros, tax included.' } });
  const document = await documentOf(t,
    catalogOf(collectionOf('thing', { description: 'What we sell.', properties: [idProperty, property] })));
  t.match(parameter(operationAt(document, '/data/thing'), 'price')?.description, /In euros, tax included\.$/);
  t.match(document.components.schemas['Thing'], { description: 'What we sell.' });
});

test('a field without readers is absent; one for some roles says so, and is never required', async t => {
  const document = await documentOf(t, catalogOf(collectionOf('person', {
    properties: [
      idProperty, propertyOf('secret', { readRoles: [] }), propertyOf('salary', { readRoles: ['hr'], required: true, nullable: false }),
      propertyOf('rank', { writeRoles: ['hr', 'boss'] }), propertyOf('fixed', { writeRoles: [] }),
    ],
  })));
  const person = document.components.schemas['Person'];
  t.same(person?.required, ['id']);
  t.same(Object.keys(person?.properties ?? {}), ['id', 'salary', 'rank', 'fixed']);
  t.match(person?.properties, {
    salary: { description: /hr/, 'x-service-access': { read: ['hr'] } }, rank: { 'x-service-access': { write: ['hr', 'boss'] } },
    fixed: { readOnly: true },
  });
  t.notOk(person?.properties['fixed']?.['x-service-access']);
});

test('a view is read-only in every property, and nothing writes it', async t => {
  const view = collectionOf('sales', {
    name: 'Sales', singularName: 'Sale', readOnly: true,
    properties: [propertyOf('id'), propertyOf('total', { type: 'number', sqlType: 'numeric' })],
  });
  const document = await documentOf(t, catalogOf(view));
  t.same(document.components.schemas['Sale']?.properties, {
    id: { type: 'string', readOnly: true },
    total: { type: 'number', nullable: true, readOnly: true },
  });
  t.same(operations(document).map(({ operationId }) => operationId),
    ['listSale', 'countSale', 'aggregateSale', 'getSaleById', 'collections']);
  t.notOk(document.components.schemas['SaleInput'] ?? document.components.schemas['SaleUpdate']);
});

test('the id in a path has the type of the key; a composite key is text joined by :::', async t => {
  const line = collectionOf('order_line', {
    key: ['orderId', 'line'],
    properties: [propertyOf('orderId', { sqlType: 'uuid' }), propertyOf('line', { type: 'number', sqlType: 'integer' })],
    relations: [relationTo('note', 'hasMany')],
  });
  const note = collectionOf('note', { properties: [propertyOf('id', { sqlType: 'uuid', attributes: { description: 'Its id.' } })] });
  const document = await documentOf(t, catalogOf(line, note));
  t.match(parameter(operationAt(document, '/data/order_line/{id}'), 'id', 'path'),
    { required: true, description: /orderId, line.*:::/, schema: { type: 'string' } });
  t.same(parameter(operationAt(document, '/data/order_line/{parentId}/note'), 'parentId', 'path')?.schema, { type: 'string' });
  t.same(parameter(operationAt(document, '/data/note/{id}'), 'id', 'path')?.schema, { type: 'string', format: 'uuid' });
  t.same(document.components.schemas['OrderLine']?.required, ['orderId', 'line']);
});

test('a relation to a collection that is not served is left out', async t => {
  const document = await documentOf(t, catalogOf(collectionOf('thing', { relations: [relationTo('hidden', 'hasMany')] })));
  t.notOk(document.paths['/data/thing/{parentId}/hidden']);
});
