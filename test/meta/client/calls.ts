// Drives the library as its own programs would. No part of the project that `npm run check` reads: client.long.test.ts compiles
// it against ./paths.ts, which it makes of the document that the service serves, and runs it.
import { type Client } from 'openapi-fetch';
import { type components, type paths } from './paths.ts';

type Library = Client<paths>;
type Book = components['schemas']['Book'];
type Failure = components['schemas']['ErrorResponse'];
/** The callers: one who may write, one who may read, and one without a sign-in. */
export type Callers = { librarian: Library; reader: Library; visitor: Library };

/** The body of an answer that is no failure. */
async function ok<Body>(answer: Promise<{ data?: Body; error?: unknown; response: Response }>): Promise<NonNullable<Body>> {
  const { data, error, response } = await answer;
  if (data === undefined || data === null) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

/** An answer without a body. */
async function done(status: number, answer: Promise<{ response: Response }>): Promise<Response> {
  const { response } = await answer;
  if (response.status !== status) throw new Error(`${response.url}: ${response.status}, not ${status}`);
  return response;
}

/** The code of a failure. */
async function fails(status: number, answer: Promise<{ error?: Failure; response: Response }>): Promise<string> {
  const { error, response } = await answer;
  if (error === undefined || response.status !== status) throw new Error(`${response.url}: ${response.status}, not ${status}`);
  return error.error.code;
}

export async function drive({ librarian, reader, visitor }: Callers): Promise<void> {
  const tag = await ok(librarian.POST('/data/tags', { body: { id: 'old', color: 'brown' } }));
  await ok(reader.GET('/data/tags/{id}', { params: { path: { id: tag.id } } }));
  await ok(librarian.PATCH('/data/tags/{id}', { params: { path: { id: tag.id } }, body: { color: 'gray' } }));
  const tags = await ok(librarian.POST('/data/tags/bulk', { body: { rows: [{ id: 'new', color: 'green' }, { id: 'rare', color: 'gold' }] } }));
  const written: number = tags.meta.written;
  await ok(librarian.PATCH('/data/tags/bulk', { body: { updates: [{ id: 'rare', data: { color: 'red' } }] } }));
  const gone = await ok(librarian.POST('/data/tags/bulk/delete', { body: { ids: ['rare'] } }));
  if (written !== 2 || gone.meta.deleted !== 1) throw new Error('Not what was asked for.');
  const page = await ok(reader.GET('/data/tags', { params: { query: { orderBy: 'id', limit: 1, color: 'neq.red' } } }));
  const [first] = page.data;
  if (first?.id !== 'new' || first.color.toUpperCase() !== 'GREEN' || !page.meta.hasMore) throw new Error('Not the first page.');
  const next = await ok(reader.GET('/data/tags', { params: { query: { orderBy: 'id', limit: 1, after: page.meta.nextCursor ?? '' } } }));
  if (next.data[0]?.color !== 'gray') throw new Error('Not the next page.');
  const { count } = await ok(reader.GET('/data/tags/count', { params: { query: { where: JSON.stringify({ color: ['!=', 'red'] }) } } }));
  const groups = await ok(reader.GET('/data/tags/aggregate', { params: { query: { select: 'count()', groupBy: 'color' } } }));
  if (count !== groups.data.length) throw new Error('Two tags, two colors.');

  const { data: [authors] } = await ok(reader.GET('/data/collections'));
  if (authors?.slug !== 'authors') throw new Error('Not the collections by slug.');

  const author = await ok(librarian.POST('/data/authors', { body: { name: 'Ann' } }));
  await ok(librarian.PATCH('/data/authors/{id}', { params: { path: { id: author.id } }, body: { name: 'Anna' } }));
  await ok(librarian.POST('/data/authors/bulk', { body: { rows: [{ name: 'Bea' }], upsert: true, onConflict: ['name'] } }));
  await ok(librarian.PATCH('/data/authors/bulk', { body: { updates: [{ id: author.id, data: {} }] }, params: { header: { Prefer: 'return=minimal' } } }));
  await ok(reader.GET('/data/authors/{id}', { params: { path: { id: author.id }, query: { include: 'books' } } }));
  await ok(reader.GET('/data/authors', { params: { header: { Prefer: 'count=none' } } }));
  await ok(reader.GET('/data/authors/count'));
  await ok(reader.GET('/data/authors/aggregate', { params: { query: { select: 'max(name)' } } }));

  const book: Book = await ok(librarian.POST('/data/books', { body: { title: 'One', authorId: author.id, state: 'draft', price: 9.5, topics: ['a'], size: { pages: 90 }, tags: [{ id: 'new', _pivot: { weight: 2 } }] } }));
  const changed = await ok(librarian.PATCH('/data/books/{id}', { params: { path: { id: book.id } }, body: { state: 'printed', price: null } }));
  const state: 'draft' | 'printed' | undefined = changed.state;
  if (state !== 'printed' || changed.price !== null) throw new Error('Not changed.');
  const history = await ok(librarian.GET('/data/books/{id}/history', { params: { path: { id: book.id }, query: { limit: 10 } } }));
  const oldest = history.data.at(-1);
  if (oldest?.action !== 'create') throw new Error('Its history does not begin with its creation.');
  const reverted = await ok(librarian.POST('/data/books/{id}/history/{historyId}/revert', { params: { path: { id: book.id, historyId: oldest.id } } }));
  if (reverted.data.state !== 'draft' || reverted.meta.reverted_from !== oldest.id) throw new Error('Not as it began.');
  const whole = await ok(reader.GET('/data/books/{id}', { params: { path: { id: book.id }, query: { include: 'author,tags' } } }));
  if (whole.author?.name !== 'Anna' || whole.tags?.[0]?._pivot?.weight !== 2) throw new Error('Not with what belongs to it.');
  await ok(reader.GET('/data/books', { params: { query: { price: 'gte.1', include: 'author' } } }));
  await ok(reader.GET('/data/books/count'));
  await ok(reader.GET('/data/books/aggregate', { params: { query: { select: 'sum(price)' } } }));
  const more = await ok(librarian.POST('/data/books/bulk', { body: { rows: [{ title: 'Two', authorId: author.id }] } }));
  const ids = more.data.map(row => typeof row === 'string' ? row : row.id);
  await ok(librarian.PATCH('/data/books/bulk', { body: { updates: ids.map(id => ({ id, data: { topics: ['b'] } })) } }));
  await ok(librarian.POST('/data/books/bulk/delete', { body: { ids } }));

  const of = { parentId: author.id };
  const third = await ok(librarian.POST('/data/authors/{parentId}/books', { params: { path: of }, body: { title: 'Three' } }));
  await ok(librarian.PATCH('/data/authors/{parentId}/books/{id}', { params: { path: { ...of, id: third.id } }, body: { title: 'Drei' } }));
  await ok(reader.GET('/data/authors/{parentId}/books', { params: { path: of, query: { title: 'Drei' } } }));
  await ok(reader.GET('/data/authors/{parentId}/books/count', { params: { path: of } }));
  await ok(reader.GET('/data/authors/{parentId}/books/aggregate', { params: { path: of, query: { select: 'count()' } } }));
  await ok(reader.GET('/data/authors/{parentId}/books/{id}', { params: { path: { ...of, id: third.id } } }));
  await done(204, librarian.DELETE('/data/authors/{parentId}/books/{id}', { params: { path: { ...of, id: third.id } } }));

  const on = { parentId: book.id };
  await ok(librarian.POST('/data/books/{parentId}/tags', { params: { path: on }, body: { id: 'fresh', color: 'blue' } }));
  await ok(librarian.PATCH('/data/books/{parentId}/tags/{id}', { params: { path: { ...on, id: 'fresh' } }, body: { color: 'navy' } }));
  await done(204, librarian.PATCH('/data/books/{parentId}/tags/{id}', { params: { path: { ...on, id: 'fresh' } }, body: { _pivot: { weight: 3 } } }));
  const linked = await ok(reader.GET('/data/books/{parentId}/tags', { params: { path: on, query: { orderBy: 'id' } } }));
  if (linked.data.map(({ id }) => id).join() !== 'fresh,new') throw new Error('Not the tags of the book.');
  if (linked.data[0]?._pivot?.weight !== 3) throw new Error('Not with what the link says.');
  await ok(reader.GET('/data/books/{parentId}/tags/count', { params: { path: on } }));
  await ok(reader.GET('/data/books/{parentId}/tags/aggregate', { params: { path: on, query: { select: 'count()' } } }));
  await ok(reader.GET('/data/books/{parentId}/tags/{id}', { params: { path: { ...on, id: 'fresh' } } }));
  await done(204, librarian.DELETE('/data/books/{parentId}/tags/{id}', { params: { path: { ...on, id: 'fresh' } } }));

  await ok(librarian.POST('/data/_batch', {
    body: { operations: [{ op: 'create', collection: 'authors', values: { name: 'Cleo' }, ref: 'cleo' }, { op: 'create', collection: 'books', values: { title: 'Four', author: { $ref: 'cleo.id' } } }] },
  }));
  await refusals({ librarian, reader, visitor }, book, author.id);
  await done(204, librarian.DELETE('/data/books/{id}', { params: { path: { id: book.id } } }));
  await done(204, librarian.DELETE('/data/tags/{id}', { params: { path: { id: tag.id }, header: { 'Idempotency-Key': 'tag' } } }));
  const { data: [alone] } = await ok(reader.GET('/data/authors', { params: { query: { name: 'Bea' } } }));
  await ok(librarian.POST('/data/authors/bulk/delete', { body: { ids: [alone?.id ?? 0] } }));
  await done(204, librarian.DELETE('/data/authors/{id}', { params: { path: { id: author.id } } }));
}

/** Every status of a document that a client can bring about. */
async function refusals({ librarian, reader, visitor }: Callers, book: Book, authorId: number): Promise<void> {
  const path = { id: book.id };
  const codes = [
    await fails(400, librarian.PATCH('/data/books/{id}', { params: { path }, body: { price: -1 } })),
    await fails(401, visitor.GET('/data/books')),
    await fails(403, reader.POST('/data/books', { body: { title: 'Mine', authorId } })),
    await fails(404, reader.GET('/data/books/{id}', { params: { path: { id: '00000000-0000-4000-8000-000000000000' } } })),
    await fails(409, librarian.POST('/data/authors', { body: { name: 'Anna' } })),
    await fails(412, librarian.DELETE('/data/books/{id}', { params: { path, header: { 'If-Match': '"other"' } } })),
    await fails(413, librarian.POST('/data/books', { body: { title: 'x'.repeat(5000), authorId } })),
    await fails(415, librarian.POST('/data/tags', { body: { id: 'x', color: 'y' }, headers: { 'content-type': 'text/plain' } })),
  ];
  if (new Set(codes).size !== codes.length) throw new Error(`Some of these are alike: ${codes.join()}`);
  const header = { 'Idempotency-Key': 'once' };
  await done(204, librarian.POST('/data/tags', { params: { header: { ...header, Prefer: 'return=minimal' } }, body: { id: 'once', color: 'white' } }));
  await fails(422, librarian.POST('/data/tags', { params: { header }, body: { id: 'twice', color: 'white' } }));
  await done(204, librarian.PATCH('/data/books/{id}', { params: { path, header: { Prefer: 'return=minimal' } }, body: {} }));
  const { response } = await reader.GET('/data/books/{id}', { params: { path } });
  await done(304, reader.GET('/data/books/{id}', { params: { path, header: { 'If-None-Match': response.headers.get('etag') ?? '' } } }));
}

/** Calls that the types reject; this is compiled, and never runs. */
export async function mistakes(client: Library): Promise<void> {
  // @ts-expect-error There is no such path.
  await client.GET('/data/book');
  // @ts-expect-error Entries of a history cannot be created.
  await client.POST('/data/books/{id}/history', { params: { path: { id: 'x' } } });
  // @ts-expect-error A book has a title.
  await client.POST('/data/books', { body: { authorId: 1 } });
  // @ts-expect-error Only these two states are there.
  await client.POST('/data/books', { body: { title: 'x', authorId: 1, state: 'sold' } });
  // @ts-expect-error A title is no number.
  await client.PATCH('/data/books/{id}', { params: { path: { id: 'x' } }, body: { title: 1 } });
  // @ts-expect-error The id of an author is a number.
  await client.GET('/data/authors/{id}', { params: { path: { id: 'x' } } });
  // @ts-expect-error An aggregate computes something.
  await client.GET('/data/books/aggregate', { params: { query: {} } });
  const { data } = await client.GET('/data/books/{id}', { params: { path: { id: 'x' } } });
  // @ts-expect-error There may be no row.
  data.title.trim();
  // @ts-expect-error There may be no price.
  data?.price.toFixed(2);
}
