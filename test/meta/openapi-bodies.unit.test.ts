import { test } from 'tap';
import type { Property } from '../../gateway/catalog/document.ts';
import type { PropertyAttributes } from '../../gateway/catalog/rows.ts';
import { catalogOf, collectionOf, idProperty, propertyOf, relationTo } from './catalog.ts';
import { documentOf, operationAt, shown } from './document.ts';

/** A property of a collection file. */
function declared(name: string, given: Partial<Omit<Property, 'attributes'>>, attributes: Partial<PropertyAttributes> = {}): Property {
  const column = { type: given.sqlType ?? 'text', default: null, identity: false, unique: false, stamp: null, enumType: null, index: null };
  const whole: Partial<PropertyAttributes> = { column, ...attributes };
  return { ...propertyOf(name, given), attributes: whole };
}

test('a create takes what may be written and requires what nothing else fills; an update takes the same and requires nothing', async t => {
  const { components } = await documentOf(t, catalogOf(collectionOf('thing', {
    properties: [
      idProperty,
      propertyOf('name', { required: true, nullable: false }),
      propertyOf('note'),
      propertyOf('total', { generated: true }),
      propertyOf('closed', { writeRoles: [] }),
      propertyOf('secret', { readRoles: [] }),
      propertyOf('rank', { writeRoles: ['hr'], required: true, nullable: false }),
      declared('createdAt', { type: 'date', sqlType: 'timestamp with time zone' }, { autoValue: 'on_create' }),
      declared('updatedBy', {}, { autoValue: 'user_on_update' }),
    ],
  })));
  const { Thing, ThingInput, ThingUpdate } = components.schemas;
  t.same(Object.keys(ThingInput?.properties ?? {}), ['name', 'note', 'secret', 'rank']);
  t.same(ThingInput?.required, ['name', 'rank']);
  t.match(ThingInput?.properties['rank'], { 'x-service-access': { write: ['hr'] }, description: /Written only .*hr/ });
  t.same({ ...ThingUpdate, required: ['name', 'rank'] }, ThingInput);
  const readOnly = Object.entries(Thing?.properties ?? {}).filter(([, property]) => property['readOnly'] === true).map(([name]) => name);
  t.same(readOnly, ['id', 'total', 'closed', 'createdAt', 'updatedBy'], 'the row says of the others that they cannot be written');
});

test('a key is optional where the database can make it and required where it cannot', async t => {
  const keys: [key: Property, required: boolean][] = [
    [propertyOf('id', { nullable: false, sqlType: 'uuid', attributes: { isId: 'uuid' } }), false],
    [propertyOf('id', { nullable: false, required: true, attributes: { isId: true } }), true],
    [propertyOf('id', { nullable: false, attributes: { isId: true } }), false],
    [declared('id', { nullable: false }, { isId: true }), true],
    [declared('id', { nullable: false }, {
      isId: 'uuid',
      column: { type: 'uuid', default: 'gen_random_uuid()', identity: false, unique: false, stamp: null, enumType: null, index: null },
    }), false],
    [declared('id', { nullable: false }, {
      isId: 'increment',
      column: { type: 'integer', default: null, identity: true, unique: false, stamp: null, enumType: null, index: null },
    }), false],
  ];
  for (const [i, [key, required]] of keys.entries()) {
    const { components } = await documentOf(t, catalogOf(collectionOf('thing', { properties: [key] })));
    t.match(components.schemas['ThingInput']?.properties['id'], { description: 'An update takes only the value that it has.' });
    t.same(components.schemas['ThingInput']?.required, required ? ['id'] : undefined, `key ${i}`);
  }
});

test('a foreign key may go by the name of its relation, as far as it has one column', async t => {
  const { components } = await documentOf(t, catalogOf(
    collectionOf('thing', { relations: [relationTo('owner',
      'belongsTo'), relationTo('pair', 'belongsTo'), relationTo('hidden', 'belongsTo'), relationTo('owner', 'hasMany', 'owners')] }),
    collectionOf('owner'),
    collectionOf('pair', { key: ['a', 'b'], properties: [propertyOf('a'), propertyOf('b')] }),
  ));
  t.match(components.schemas['ThingInput']?.description, /relation.*: owner\.$/);
  t.notOk(components.schemas['OwnerInput']?.description);
});

test('the tenant of a row is marked: not asked for, and always there', async t => {
  const { components } = await documentOf(t,
    catalogOf(collectionOf('thing', { properties: [idProperty, propertyOf('org', { nullable: false, attributes: { tenant: true } })] })));
  const { Thing, ThingInput } = components.schemas;
  t.match([Thing?.properties['org'], ThingInput?.properties['org']],
    [{ 'x-service-tenant': true, description: /taken from the caller/ }, { 'x-service-tenant': true }]);
  t.same([Thing?.required, ThingInput?.required], [['id', 'org'], undefined]);
});

test('a body has to be there where something in it is required', async t => {
  const document = await documentOf(t,
    catalogOf(collectionOf('strict', { properties: [idProperty, propertyOf('name', { required: true })] }), collectionOf('loose')));
  const content = (component: string) => ({ 'application/json': { schema: { $ref: `#/components/schemas/${component}` } } });
  t.same(operationAt(document, '/data/strict', 'post').requestBody, { required: true, content: content('StrictInput') });
  t.same(operationAt(document, '/data/strict/{id}', 'patch').requestBody, { content: content('StrictUpdate') });
  t.same(operationAt(document, '/data/loose', 'post').requestBody, { content: content('LooseInput') });
  t.notOk(operationAt(document, '/data/strict/{id}', 'delete').requestBody);
});

test('writes answer with the row or with nothing, and say how they fail', async t => {
  const document = await documentOf(t, catalogOf(collectionOf('thing')));
  const row = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } };
  const failures = ['400', '401', '403', '404', '409', '413', '415', '422', '500', '503'];
  const create = operationAt(document, '/data/thing', 'post').responses;
  t.same(Object.keys(create), ['201', '204', ...failures]);
  t.match(create, { 201: row, 204: { headers: { 'Preference-Applied': {} } } });
  const update = operationAt(document, '/data/thing/{id}', 'patch').responses;
  t.same(Object.keys(update), ['200', '204', ...failures, '412'].sort());
  t.match(update['200'], row);
  const remove = operationAt(document, '/data/thing/{id}', 'delete').responses;
  t.same(Object.keys(remove), ['204', '400', '401', '403', '404', '409', '412', '422', '500', '503']);
  t.same(remove['204'], { description: 'Done.' });
  const bulk = operationAt(document, '/data/thing/bulk', 'post');
  t.match(bulk.requestBody, { required: true, content: { 'application/json': { schema: { required: ['rows'], properties: {
    rows: { items: { $ref: '#/components/schemas/ThingInput' } }, upsert: { type: 'boolean' }, onConflict: { type: 'array' },
  } } } } });
  t.match(bulk.responses['200'], { content: { 'application/json': {
    schema: { properties: { data: { items: { anyOf: [{ $ref: '#/components/schemas/Thing' }, {}] } }, meta: { required: ['written'] } } },
  } } });
  t.match(operationAt(document, '/data/thing/bulk', 'patch').requestBody, { content: { 'application/json': { schema: {
    properties: { updates: { items: { required: ['id', 'data'], properties: { data: { $ref: '#/components/schemas/ThingUpdate' } } } } },
  } } } });
  t.match(operationAt(document, '/data/thing/bulk/delete', 'post'),
    { requestBody: { content: { 'application/json': { schema: { required: ['ids'] } } } }, responses: { 200: {}, 422: {} } });
  t.match(operationAt(document, '/data/_batch', 'post'),
    { requestBody: { content: { 'application/json': { schema: { required: ['operations'] } } } }, responses: { 200: {}, 409: {} } });
});

test('the rules of a collection file stand at what is written, not at what is read', async t => {
  const block = (type: string, value: object, ...more: string[]) => ({
    type: 'object', required: ['is', ...more], properties: { is: { type: 'string', enum: [type] }, of: value }, additionalProperties: true,
  });
  const bare = { type: 'object', required: ['is'], properties: { is: { type: 'string', enum: ['text'] } }, additionalProperties: true };
  const part = { type: 'string', nullable: true };
  const limited = {
    ...part, description: 'Pay. Read only with one of the roles hr, admin. Written only with one of the roles hr, boss, admin.',
    'x-service-access': { read: ['hr'], write: ['hr', 'boss'] },
  };
  const geopoint = {
    type: 'object', required: ['latitude', 'longitude'], properties: { latitude: { type: 'number' }, longitude: { type: 'number' } },
  };
  const expected: [given: Property, written: object, read: object][] = [
    [declared('s', {},
      { validation: { min: 2, max: 5 }, maxLength: 5 }), { type: 'string', minLength: 2, maxLength: 5 }, { type: 'string', maxLength: 5 }],
    [declared('s', {}, { validation: { length: 3, max: 9 } }), { type: 'string', minLength: 3, maxLength: 3 }, { type: 'string' }],
    [declared('s', {}, { email: true, format: 'email' }), { type: 'string', format: 'email' }, { type: 'string', format: 'email' }],
    [declared('s', {}, { url: true, format: 'uri' }), { type: 'string', format: 'uri' }, { type: 'string', format: 'uri' }],
    [
      declared('s', {}, { validation: { matches: '^a' }, description: 'A word.' }),
      { type: 'string', description: 'A word. Matches the PostgreSQL regular expression `^a`.' },
      { type: 'string', description: 'A word.' },
    ],
    [declared('n', { type: 'number', sqlType: 'numeric' },
      { validation: { min: 1, max: 9 } }), { type: 'number', minimum: 1, maximum: 9 }, { type: 'number' }],
    [
      declared('n', { type: 'number', sqlType: 'numeric' }, { validation: { moreThan: 1, lessThan: 9 } }),
      { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true }, { type: 'number' },
    ],
    [declared('n', { type: 'number', sqlType: 'numeric' },
      { validation: { min: 0, positive: true } }), { type: 'number', minimum: 0, exclusiveMinimum: true }, { type: 'number' }],
    [declared('n', { type: 'number', sqlType: 'numeric' },
      { validation: { min: 3, positive: true } }), { type: 'number', minimum: 3 }, { type: 'number' }],
    [declared('n', { type: 'number', sqlType: 'numeric' },
      { validation: { integer: true, negative: true } }), { type: 'integer', maximum: 0, exclusiveMaximum: true }, { type: 'number' }],
    [declared('n', { type: 'number', sqlType: 'integer' },
      { enum: [1, 2] }), { type: 'integer', format: 'int32', enum: [1, 2] }, { type: 'integer', format: 'int32', enum: [1, 2] }],
    [
      declared('d', { type: 'date', sqlType: 'date' }, { validation: { min: '2020-01-01', max: '2030-01-01' } }),
      { type: 'string', format: 'date', description: 'Not before 2020-01-01. Not after 2030-01-01.' }, { type: 'string', format: 'date' },
    ],
    [declared('a', { type: 'array', sqlType: 'text[]' },
      { of: { type: 'string', validation: { min: 2 } }, validation: { min: 1, max: 3, uniqueInArray: true } }),
      { type: 'array', items: { type: 'string', minLength: 2 }, minItems: 1, maxItems: 3, uniqueItems: true },
      { type: 'array', items: { type: 'string' } }],
    [declared('a', { type: 'array', sqlType: 'jsonb' }, { of: { type: 'geopoint' } }),
      { type: 'array', items: geopoint }, { type: 'array', items: geopoint }],
    [declared('b', { type: 'array', sqlType: 'jsonb' }, { oneOf: {
      typeField: 'is', valueField: 'of',
      properties: { text: { type: 'string', validation: { required: true, max: 9 } }, n: { type: 'number' } },
    } }),
      {
        type: 'array',
        items: { oneOf: [block('text', { type: 'string', maxLength: 9 }, 'of'), block('n', { type: 'number', nullable: true })] },
      },
      { type: 'array', items: { oneOf: [block('text', { type: 'string' }), block('n', { type: 'number', nullable: true })] } }],
    [declared('m', { type: 'map', sqlType: 'jsonb' }, { properties: {
      all: { type: 'string' }, some: { type: 'string', description: 'Pay.', readRoles: ['hr'], writeRoles: ['hr', 'boss'] },
      sent: { type: 'string', readRoles: [] }, told: { type: 'string', writeRoles: [] },
      none: { type: 'string', excluded: true, readRoles: [], writeRoles: [] },
    } }),
      { type: 'object', additionalProperties: true, properties: { all: part, some: limited, sent: part } },
      { type: 'object', additionalProperties: true, properties: { all: part, some: limited, told: { ...part, readOnly: true } } }],
    [declared('b', { type: 'array', sqlType: 'jsonb' }, {
      oneOf: { typeField: 'is', valueField: 'of', properties: { text: { type: 'string', excluded: true, readRoles: [], writeRoles: [] } } },
    }),
      { type: 'array', items: { oneOf: [bare] } }, { type: 'array', items: { oneOf: [bare] } }],
    [declared('m', { type: 'map', sqlType: 'jsonb' },
      { keyValue: true }), { type: 'object', additionalProperties: true }, { type: 'object', additionalProperties: true }],
    [declared('m', { type: 'map', sqlType: 'jsonb' },
      { properties: { a: { type: 'number', validation: { required: true }, defaultValue: 1 } } }),
      { type: 'object', properties: { a: { type: 'number', nullable: true } }, additionalProperties: true },
      { type: 'object', properties: { a: { type: 'number', nullable: true } }, additionalProperties: true }],
    [declared('m', { type: 'map', sqlType: 'jsonb' },
      { properties: { zip: { type: 'string', validation: { required: true, min: 4 } }, kind: { type: 'string', enum: ['a'] } } }),
      {
        type: 'object', required: ['zip'],
        properties: { zip: { type: 'string', minLength: 4 }, kind: { type: 'string', enum: ['a', null], nullable: true } },
        additionalProperties: true,
      },
      {
        type: 'object', properties: { zip: { type: 'string' }, kind: { type: 'string', enum: ['a', null], nullable: true } },
        additionalProperties: true,
      }],
  ];
  const properties = expected.map(([given], i) => ({ ...given, name: `field${i}`, nullable: false }));
  const [written, read] = [await shown(t, properties, 'ThingInput'), await shown(t, properties)];
  for (const [i, [, whenWritten, whenRead]] of expected.entries()) {
    t.same(written[`field${i}`], whenWritten, `field${i} written`);
    t.same(read[`field${i}`], whenRead, `field${i} read`);
  }
});
