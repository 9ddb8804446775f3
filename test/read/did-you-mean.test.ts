import t, { test } from 'tap';
import { closestMatch } from '../../gateway/spelling.ts';
import { collections, createWriter } from '../write/client.ts';
import { connect } from '../harness/socket.ts';
import { tokenFor } from '../harness/service.ts';
import { client, query, user } from './client.ts';

const everyone = [{ access: 'public' }];
const id = { type: 'number', isId: 'increment' };
const belongsTo = (target: string) => ({ kind: 'belongsTo', target });
const books = {
  slug: 'books',
  properties: {
    id, title: { type: 'string' }, pages: { type: 'number' }, publishedOn: { type: 'date' },
    sizes: { type: 'map', properties: { width: { type: 'number' }, cost: { type: 'number', access: { read: ['staff'] } } } },
    costs: { type: 'map', properties: { total: { type: 'number' } }, access: { read: ['staff'] } },
    salary: { type: 'number', access: { read: ['staff'], write: ['staff'] } }, secret: { type: 'string', excludeFromApi: true },
    password: { type: 'string', access: { read: [] } },
    author: { type: 'relation', relation: belongsTo('authors') },
    keeper: { type: 'relation', relation: belongsTo('authors'), access: { read: ['staff'], write: ['staff'] } },
  },
  securityRules: everyone,
};
const authors = { slug: 'authors', properties: {
  id, name: { type: 'string' },
  books: { type: 'relation', relation: { kind: 'hasMany', target: 'books', foreignKeyOnTarget: 'author_id' } },
}, securityRules: everyone };
const vaults = { slug: 'vaults', properties: { id }, securityRules: [{ roles: ['staff'] }] };
const cellars = { slug: 'cellars', exposed: false, properties: { id }, securityRules: everyone };

const service = await createWriter(t,
  { template: 'served', env: { SERVICE_COLLECTIONS_DIR: collections(t, books, authors, vaults, cellars) } });
const reader = client(t, service, await user('r'));
const staff = client(t, service, await user('s', ['staff']));
const meant = (message: string) => /Did you mean (.*)\?/.exec(message)?.[1];
const suggested = async (path: string, { refused } = reader) => meant((await refused(path)).message);

test('the nearest known name is suggested, and none when none is near', t => {
  const known = ['title', 'createdAt', 'created_by', 'id', 'limit'];
  for (const [name, found] of [
    ['titel', 'title'], ['titles', 'title'], ['Title', 'title'], ['created_at', 'createdAt'], ['createdby', 'created_by'],
    ['limt', 'limit'], ['ilmit', 'limit'],
  ] as const) {
    t.equal(closestMatch(name, known), found, name);
  }
  for (const name of ['colour', 'x', 'is', '', 'name', `title${'e'.repeat(80)}`]) t.equal(closestMatch(name, known), undefined, name);
  t.end();
});

test('a misspelt field is reported with a suggestion, on every route', async t => {
  for (const path of [
    'books?titel=x', 'books/count?titel=x', 'books/1?titel=x', 'books?or=(titel.eq.x)', `books?${query({ where: { titel: 'x' } })}`,
    'books?orderBy=titel', 'books?fields=id,titel', 'books/aggregate?select=max(titel)', 'books/aggregate?select=count()&groupBy=titel',
    'authors?books.titel=x', 'authors?orderBy=max(books.titel)', 'authors/1/books?titel=x',
  ]) t.equal(await suggested(path), 'title', path);
  t.equal(await suggested('books?athor.name=x'), 'author');
  t.equal(await suggested('books?include=auther'), 'author');
  t.equal(await suggested('authors?orderBy=count(boks)'), 'books');
  t.equal(await suggested('authors/1/boks'), 'books');
  t.equal(await suggested('books?published_onn=x'), 'publishedOn');
  t.equal(await suggested('books?colour=x'), undefined);
});

test('a misspelt field of JSON is reported with a suggestion, though parts of it are closed', async t => {
  for (const path of [
    'books?size->width=gt.1', 'authors?books.sizs->width=1', `books?${query({ where: { 'sizs->width': 1 } })}`,
    'books/aggregate?select=count()&siezs->width=1',
  ]) {
    t.equal(await suggested(path), 'sizes', path);
  }
  t.same((await reader.refused('books?size->width=1')).details,
    { field: 'size', collection: 'books', validFields: ['sizes'], validRelations: ['author'] });
  t.equal(await suggested('books?costz->total=1'), undefined, 'what is closed is not told of');
  t.equal(await suggested('books?costz->total=1', staff), 'costs');
});

test('sockets tell it too', async t => {
  const socket = await connect(t, service, { token: await tokenFor('r') });
  const ask = async (type: string, payload: { path: string; filter: object; subscriptionId?: string }) => {
    if (payload.subscriptionId === undefined) {
      return (await socket.request(type, payload)).payload?.error as { code: string; message: string };
    }
    socket.send({ type, payload });
    return (await socket.next({ subscriptionId: payload.subscriptionId })).payload?.error as { code: string; message: string };
  };
  for (const [filter, name] of [
    [{ titel: ['==', 'x'] }, 'title'], [{ 'author.nme': ['==', 'x'] }, 'name'], [{ 'size->width': ['==', 1] }, 'sizes'],
    [{ salry: ['==', 1] }, undefined],
  ] as const) {
    for (const [type, more] of [['FETCH_COLLECTION', {}], ['COUNT', {}], ['subscribe_collection', { subscriptionId: 's' }]] as const) {
      const { code, message } = await ask(type, { path: 'books', filter, ...more });
      t.same([code, meant(message)], ['UNKNOWN_FILTER_FIELD', name], `${type} ${JSON.stringify(filter)}`);
    }
  }
});

test('fields that are not there are answered with those that are', async t => {
  t.same((await reader.refused('books?fields=titel')).details,
    { field: 'titel', collection: 'books', validFields: ['id', 'title', 'pages', 'publishedOn', 'sizes', 'authorId'] });
  const { body } = await service.send('POST', 'books?fields=titel', { title: 'x' });
  t.match(body.error, {
    code: 'UNKNOWN_RESPONSE_FIELD', message: 'books has no field titel to answer with. Did you mean title?',
    details: { validFields: ['id', 'title'] },
  });
});

test('a misspelt parameter, operator, option or collection', async t => {
  for (const [path, name] of [
    ['books?limt=3', 'limit'], ['books?ordrBy=title', 'orderBy'], ['books?feilds=id', 'fields'], [
      `books?${query({ include: { author: { logical: { type: 'or', conditions: [{ column: 'name', operator: 'lik', value: 'x' }] } } } })}`,
      'like',
    ],
    [`books?${query({ where: { title: ['not_in', ['x']] } })}`, 'not-in'],
    [`books?${query({ include: { author: { limits: 1 } } })}`, 'limit'], ['bookz', 'books'], ['book/1', 'books'], ['Authors', 'authors'],
  ] as const) t.equal(await suggested(path), name, path);
  const { status, body } = await service.send('POST', 'book', { title: 'x' });
  t.match([status, body.error.message], [404, /Did you mean books\?/]);
  t.match((await service.send('POST', 'books?feilds=id', { title: 'x' })).body.error,
    { code: 'INVALID_PARAM', message: /Did you mean fields\?/ });
  t.match((await service.send('DELETE', 'books/1?hrad=true')).body.error, { code: 'INVALID_PARAM', message: /Did you mean hard\?/ });
});

test('a misspelt field of a body', async t => {
  const { error } = (await service.send('POST', 'books', { titel: 'x', page: 1, colour: 'red' }, { as: await tokenFor('w') })).body;
  t.match(error, {
    code: 'VALIDATION_UNKNOWN_FIELDS', message: /Did you mean pages, title\?/,
    details: { fields: ['colour', 'page', 'titel'], validFields: ['id', 'title', 'pages', 'publishedOn', 'sizes', 'authorId'] },
  });
});

test('no name is suggested that the caller may not read', async t => {
  const near = ['salry', 'secrets', 'pasword', 'keepr', 'keeperIdd'];
  const doors = (name: string) => [
    `books?${name}=1`, `books?orderBy=${name}`, `books?fields=${name}`, `books?include=${name}`, `books/1/${name}`,
    `authors?books.${name}=1`, `authors?orderBy=max(books.${name})`, `books/aggregate?select=max(${name})`,
  ];
  for (const path of [...near.flatMap(doors), 'valts', 'cellar', 'vault/1', 'books?keepr.name=x']) {
    const { message, details } = await reader.refused(path);
    t.notMatch(message, /Did you mean/, path);
    t.notMatch(JSON.stringify({ ...details, field: null, relation: null }), /salary|secret|password|keeper|vault|cellar/, path);
  }
  const writer = await tokenFor('w', ['writer']);
  for (const name of near) {
    const { error } = (await service.send('POST', 'books', { [name]: 1 }, { as: writer })).body;
    t.notMatch(JSON.stringify([error.message.replace(name, ''), error.details.validFields]), /Did you mean|salary|secret|password|keeper/,
      name);
  }
  t.equal(await suggested('books?salry=1', staff), 'salary', 'who may read it is told');
  t.equal(await suggested('books?include=keepr', staff), 'keeper');
  t.equal(await suggested('valts', staff), 'vaults');
  t.equal(await suggested('cellar', staff), undefined);
});
