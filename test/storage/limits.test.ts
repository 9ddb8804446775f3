import { test } from 'tap';
import { openLoader } from '../collections/loaded.ts';
import { serveAsked } from './asked.ts';

const id = { type: 'number', isId: 'increment' };
const file = (storage: object) => ({ type: 'string', storage });
const posts = {
  slug: 'posts', properties: {
    id, title: { type: 'string' },
    cover: file({ storagePath: 'posts/{entityId}/cover', acceptedFiles: ['image/*'], maxSize: 200 }),
    manual: file({ storagePath: '/manuals//{rand}_{propertyKey}/', acceptedFiles: ['application/pdf', '.TXT'], maxSize: 50 }),
    photos: { type: 'array', of: file({ storagePath: 'photos', acceptedFiles: ['image/png'], public: true }) },
    blocks: { type: 'array', of: { type: 'map', properties: { image: file({ maxSize: 10 }), text: { type: 'string' } } } },
    body: { type: 'array', oneOf: { valueField: 'is', properties: {
      text: { type: 'string' }, film: file({ maxSize: 30, acceptedFiles: ['video/*'] }),
      sound: file({ maxSize: 20, acceptedFiles: ['audio/*'] }),
    } } },
    far: file({ storagePath: 'far/{path}', maxSize: 5, storageId: 'media' }),
    any: file({ storagePath: 'a.b+c', acceptedFiles: ['*/*'] }),
  },
};
/** The same place as posts.cover, for more. */
const reels = { slug: 'reels', properties: {
  id, still: file({ storagePath: 'posts/{entityId}/{file.name}', acceptedFiles: ['.mov'], maxSize: 1000 }),
  clip: file({ storagePath: '/', maxSize: 7 }),
} };

const TOO_LARGE = '413 STORAGE_FILE_TOO_LARGE';
const WRONG_TYPE = '400 STORAGE_FILE_TYPE_REFUSED';

/** The uploads, and their results. `for`: the property that the upload names. */
const UPLOADS: [
  key: string, size: number, contentType: string | undefined, more: { for?: string; fileName?: string; storageId?: string }, answer: string,
][] = [
  ['x/a', 200, 'image/png', { for: 'posts cover' }, 'yes'],
  ['x/a', 201, 'image/png', { for: 'posts cover' }, TOO_LARGE],
  ['x/a', 200, 'IMAGE/PNG; q=1', { for: 'posts cover' }, 'yes'],
  ['x/a', 200, 'text/html', { for: 'posts cover' }, WRONG_TYPE],
  ['x/a', 200, 'image/', { for: 'posts cover' }, WRONG_TYPE],
  ['x/a', 200, 'imagex/png', { for: 'posts cover' }, WRONG_TYPE],
  ['x/a.png', 200, undefined, { for: 'posts cover' }, WRONG_TYPE],
  ['x/a', 300, 'text/html', { for: 'posts cover' }, TOO_LARGE],
  ['x/a', 50, 'application/pdf', { for: 'posts manual' }, 'yes'],
  ['x/a.txt', 50, 'text/plain', { for: 'posts manual' }, 'yes'],
  ['x/a', 50, 'text/plain', { for: 'posts manual', fileName: 'README.Txt' }, 'yes'],
  ['x/a.txt', 50, 'text/plain', { for: 'posts manual', fileName: 'a.exe' }, WRONG_TYPE],
  ['x/a.txtx', 50, undefined, { for: 'posts manual' }, WRONG_TYPE],
  ['x/a.txt', 50, undefined, { for: 'posts manual' }, 'yes'],
  ['x/a', 1, 'image/png', { for: 'posts photos.0' }, 'yes'],
  ['x/a', 1, 'image/gif', { for: 'posts photos.0' }, WRONG_TYPE],
  ['x/a', 1, 'image/gif', { for: 'posts photos' }, WRONG_TYPE],
  ['x/a', 11, 'image/gif', { for: 'posts blocks.3.image' }, TOO_LARGE],
  ['x/a', 11, 'image/gif', { for: 'posts blocks.3.text' }, 'yes'],
  ['x/a', 25, 'video/mp4', { for: 'posts body.0.is' }, 'yes'],
  ['x/a', 25, 'audio/mp4', { for: 'posts body.0.is' }, WRONG_TYPE],
  ['x/a', 31, 'video/mp4', { for: 'posts body.0.is' }, TOO_LARGE],
  ['x/a', 9999, 'text/html', { for: 'posts title' }, 'yes'],
  ['x/a', 9999, 'text/html', { for: 'nothing cover' }, 'yes'],
  ['posts/7/cover/a', 201, 'image/png', {}, TOO_LARGE],
  ['posts/7/cover/a', 100, 'text/html', {}, WRONG_TYPE],
  ['posts/7/cover/a.mov', 201, 'video/quicktime', {}, 'yes'],
  ['posts/7/cover/a.mov', 1001, 'video/quicktime', {}, TOO_LARGE],
  ['posts/7/other/a.png', 201, 'image/png', {}, WRONG_TYPE],
  ['posts/7/cover/b/a', 201, 'image/png', {}, 'yes'],
  ['posts/7/cover', 201, 'image/png', {}, 'yes'],
  ['x/posts/7/cover/a', 201, 'image/png', {}, 'yes'],
  ['posts/7/cover/a', 201, 'image/png', { storageId: 'media' }, 'yes'],
  ['far/a/b/c', 6, 'image/png', { storageId: 'media' }, TOO_LARGE],
  ['far/c', 6, 'image/png', { storageId: 'media' }, 'yes'],
  ['far/a/b/c', 6, 'image/png', {}, 'yes'],
  ['posts/7/cover/a', 201, 'image/png', { storageId: ' (default) ' }, TOO_LARGE],
  ['posts/7/cover/a', 201, 'image/png', { storageId: '' }, TOO_LARGE],
  ['manuals/r_manual/a.txt', 51, undefined, {}, TOO_LARGE],
  ['public/photos/a', 1, 'image/gif', {}, WRONG_TYPE],
  ['photos/a', 1, 'image/gif', {}, 'yes'],
  ['a', 8, 'image/gif', {}, TOO_LARGE],
  ['public/a', 8, 'image/gif', {}, 'yes'],
  ['a.b+c/a', 9999, undefined, {}, 'yes'],
  ['aXbbc/a', 9999, undefined, {}, 'yes'],
  ['posts/7/cover/a', 100, 'image/png', { for: 'posts blocks.image' }, TOO_LARGE],
  ['posts/7/cover/a', 5, 'text/html', { for: 'posts blocks.image' }, WRONG_TYPE],
];

test('files have to fit the limits of their property, and of those whose files lie there', async t => {
  const { may, refusal, bound } = await serveAsked(t, {}, { collections: [posts, reels] });
  for (const [key, size, contentType, { for: property = '', fileName, storageId }, answer] of UPLOADS) {
    const [collection, path] = property.split(' ');
    const more = {
      size, ...(contentType !== undefined && { contentType }), ...(fileName !== undefined && { fileName }),
      ...(storageId !== undefined && { storageId }),
    };
    t.equal(await may('ada', 'write', key, { ...more, ...(path !== undefined && { collection: collection ?? '', property: path }) }),
      answer, `${key} ${property} ${size} ${contentType ?? 'no type'}`);
  }
  const named = { collection: 'posts', property: 'cover' };
  t.same((await refusal('ada', 'write', 'x', { ...named, size: 4_000_000, contentType: 'image/png' }))?.details,
    { property: 'posts.cover', maxSize: 200, size: 4_000_000 });
  t.same((await refusal('ada', 'write', 'x', { ...named, size: 1, contentType: 'application/pdf' }))?.details,
    { property: 'posts.cover', acceptedFiles: ['image/*'], contentType: 'application/pdf' });
  t.equal(await may(null, 'write', 'x', { ...named, size: 201 }), '401 UNAUTHORIZED', 'who has to sign in is told nothing else');
  t.equal(await may('ada', 'read', 'posts/7/cover/a', { size: 201 }), 'yes', 'of what is read there is no limit');
  t.same(await bound('x/a', { ...named, contentType: 'image/png' }), { property: 'posts.cover', maxSize: 200 });
  t.same(await bound('posts/7/cover/a.mov', { contentType: 'image/png' }), { property: 'reels.still', maxSize: 1000 });
  t.same(await bound('posts/7/cover/a.mov', { contentType: 'image/png', collection: 'posts', property: 'blocks.image' }),
    { property: 'posts.blocks.image', maxSize: 10 });
  t.equal(await bound('public/photos/a', { contentType: 'image/png' }), undefined);
});

test('a storage property is a text column, and its faults are reported', async t => {
  const { judge, properties } = await openLoader(t);
  t.match((await properties(t, { id, cover: file({ storagePath: 'a', maxSize: 3 }) }))['cover'],
    { type: 'string', sql_type: 'text', attributes: { storage: { storagePath: 'a', maxSize: 3 } } });
  const problems = async (storage: object, more = {}) => (await judge(t,
    { 'things.json': { slug: 'things', properties: { id, cover: { ...file(storage), ...more } } } },
    'error')).problems.map(line => line.replace(/^.*?properties\.cover/, ''));
  for (const [storage, problem, more] of [
    [{ storagePath: 'a/{nothing}/{file' }, /\.storage\.storagePath: has \{nothing\}; there are \{propertyKey\}/, {}],
    [{ storagePath: 'a/../b' }, /\.storage\.storagePath: has the segment \.\./, {}],
    [{ acceptedFiles: ['image'] }, /\.storage\.acceptedFiles\[0\].*a type such as/, {}],
    [{ acceptedFiles: ['*/png'] }, /acceptedFiles\[0\]/, {}],
    [{ maxSize: 0 }, /\.storage\.maxSize/, {}],
    [{ maxSize: '5MB' }, /\.storage\.maxSize/, {}],
    [{ bucket: '-a' }, /\.storage\.bucket.*the name of a bucket/, {}],
    [{ path: 'a' }, /\.storage\.path/, {}],
    [{}, /\.storage: a file's key is a text/, { columnType: 'uuid' }],
  ] as const) t.match((await problems(storage, more)).join('\n'), problem, JSON.stringify(storage));
  t.same(await problems({
    storagePath: '{path}/{file.type}/{file.name}.{file.ext}', acceptedFiles: ['image/svg+xml', '.tar.gz', '*'], bucket: 'b', storeUrl: true,
    public: false,
  }), []);
});
