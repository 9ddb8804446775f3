import t, { test } from 'tap';
import { createService } from '../harness/service.ts';
import { client, open, user } from './client.ts';
import { library } from './library.ts';

const service = await createService(t, {
  template: 'served',
  setup: `${library}
    create table notes (id integer primary key, body text, owner_pin text, words tsvector);
    insert into notes values (1, 'hello', '1234', 'hello');
    create table paragraphs (id integer primary key, note_id integer references notes, text text);
    insert into paragraphs values (1, 1, 'first');
    ${open('notes', 'paragraphs')}`,
});

test('only what is named, and the key', async t => {
  const { get } = client(t, service);
  t.same(await get('books/1?fields=title'), { id: 1, title: 'Tea' });
  t.same((await get('books?fields=title,pages&id=1')).data, [{ id: 1, title: 'Tea', pages: 100 }]);
  t.same(await get('books/1?fields=authorId'), { id: 1, authorId: 1 });
  t.same(await get('books/1?fields=author_id, title , title'), { id: 1, authorId: 1, title: 'Tea' },
    'raw column names too, under their wire names');
  t.same(await get('books/1?fields=id'), { id: 1 });
  t.same(Object.keys(await get('books/1?fields=')), Object.keys(await get('books/1')));
  t.same(await get('shelves/A:::1?fields=label'), { room: 'A', place: 1, label: 'A one' });
  t.same((await get('authors/1/books?fields=title&orderBy=id&limit=1')).data, [{ id: 1, title: 'Tea' }]);
});

test('included relations stay, named or not', async t => {
  const { get } = client(t, service);
  t.same(await get('books/1?fields=title&include=author'),
    { id: 1, title: 'Tea', author: { id: 1, name: 'Ann', born: 1950, mentorId: null } });
  t.same(Object.keys(await get('books/1?fields=title,author&include=author')), ['id', 'title', 'author']);
  t.same(Object.keys(await get('books/1?fields=title,author&include=*')), ['id', 'title', 'author', 'reviews', 'shelves', 'tags']);
});

test('relations that are no column', async t => {
  const { refuses, get } = client(t, service);
  const validFields = ['id', 'authorId', 'title', 'pages', 'price', 'secret', 'room', 'place', 'attributes'];
  for (const path of ['books', 'books/1', 'authors/1/books']) {
    t.same(await refuses(`${path}?fields=title,nothing`, 400, 'UNKNOWN_FIELD'), { field: 'nothing', collection: 'books', validFields });
  }
  t.same(await refuses('books?fields=author', 400, 'UNKNOWN_FIELD'), { field: 'author', collection: 'books', validFields },
    'a relation that is not included');
  await refuses('books?fields=attributes->lang', 400, 'UNKNOWN_FIELD');
  await refuses('books?fields=author&include=tags', 400, 'UNKNOWN_FIELD');
  t.same(await get('notes/1?fields=words'), { id: 1 }, 'a hidden column is silently absent');
});

test('a field for some roles only', async t => {
  // The catalog of collection files says so; here its rows are written by hand.
  await service.sql`update service.properties set read_roles = '{keeper}' where collection = 'notes' and name = 'ownerPin'`;
  await service.sql`update service.properties set read_roles = '{}' where collection = 'paragraphs' and name = 'noteId'`;
  await service.sql`update service.catalog set version = version + 1`;
  await service.database.catalog.refresh();
  const reader = client(t, service, await user('r', ['reader']));
  const keeper = client(t, service, await user('k', ['keeper', 'reader']));
  const admin = client(t, service);

  t.same(await reader.get('notes/1'), { id: 1, body: 'hello' }, 'left out, not null');
  t.same(await keeper.get('notes/1'), { id: 1, body: 'hello', ownerPin: '1234' });
  t.same(await admin.get('notes/1?fields=ownerPin'), { id: 1, ownerPin: '1234' });
  t.same(await keeper.column('notes?ownerPin=1234'), [1]);
  const violation = { collection: 'notes', fields: ['ownerPin'], violations: [{ field: 'ownerPin', code: 'access' }] };
  const notReadable = [
    'notes?fields=ownerPin', 'notes/1?fields=ownerPin', 'notes?ownerPin=1', 'notes?owner_pin=1', 'notes/count?ownerPin=1',
    'notes?orderBy=ownerPin', 'notes?or=(ownerPin.eq.1)', 'paragraphs?note.ownerPin=1',
    'notes/1?include={"paragraphs":{"include":{"note":{"fields":["ownerPin"]}}}}',
  ];
  for (const path of notReadable.slice(0, -2)) t.match(await reader.refuses(path, 400, 'FIELD_NOT_READABLE'), violation, path);

  // No caller reads a field without roles, and following the link reads it.
  t.same(await admin.get('paragraphs/1'), { id: 1, text: 'first' });
  for (const path of [
    'paragraphs?noteId=1', 'paragraphs?note=1', 'paragraphs?note.body=hello', 'paragraphs/1?include=note', 'paragraphs?orderBy=note',
    ...notReadable.slice(-2),
  ]) {
    t.match(await admin.refuses(path, 400, 'FIELD_NOT_READABLE'), { collection: 'paragraphs', fields: ['noteId'] }, path);
  }
  t.same(await admin.get('paragraphs/1?include=*'), { id: 1, text: 'first' }, 'a star takes what may be seen');
  const details = await reader.refuses('notes?nothing=1', 400, 'UNKNOWN_FILTER_FIELD');
  t.same(details.validFields, ['id', 'body'], 'a message offers only what the caller may read');
});
