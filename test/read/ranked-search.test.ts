import { test } from 'tap';
import { searched } from './articles.ts';
import { query } from './client.ts';

const path = (searchString: string, more: Record<string, unknown> = {}) => `articles?${query({ searchString, fields: 'id', ...more })}`;

test('every word must stand somewhere in the declared fields, by its stem', async t => {
  const { column, get } = await searched(t, { language: 'english' });
  t.same(await column(path('tea')), [2, 1], 'as ever the newest first, and no row that row security hides');
  t.same(await column(path('GREEN tea')), [2, 1], 'in one field or in two');
  t.same(await column(path('green beans waiting')), []);
  t.same(await column(path('runs')), [1], 'runs and run have one stem');
  t.same(await column(path('"green tea"')), [1], 'a phrase stands together');
  t.same(await column(path('"tea green"')), []);
  t.same(await column(path('"tea boil"')), [], 'in one field');
  t.same(await column(path('leaf')), [1], 'lists are searched');
  t.same(await column(path('lyon')), [3, 1], 'and what a map holds at any depth below the path');
  t.same(await column(path('zanzibar')), [], 'but not beside it');
  t.same(await column(path('towns')), [], 'nor its keys');
  t.same(await column(path('the')), [], 'a stop word finds nothing');
  t.same(await column(path('the tea')), [2, 1], 'and asks for nothing');
  t.same(await column(path('seyes')), [], 'accents count');
  t.same(await column(path('te')), [], 'words are whole');
  t.same(await column(path('tea OR ink')), [], 'there are no operators');
  t.same(await column(path('tea -green')), [2, 1]);

  const page = await get(path('tea', { limit: 1, open: 'eq.true' }));
  t.same([page.meta.total, page.meta.hasMore], [2, true]);
  t.same(await get(`articles/count?${query({ searchString: 'tea', id: 'gt.1' })}`), { count: 1 }, 'filters narrow it further');
  t.same(await get(`articles/aggregate?${query({ select: 'count(),max(id)', searchString: 'tea' })}`), { data: [{ count: 2, max_id: 2 }] });
  t.same(await get(`articles/count?${query({ searchString: '   ' })}`), { count: 1405 }, 'blanks are no search');
  t.same((await get('articles?fields=id&id=lt.6')).data, [{ id: 5 }, { id: 3 }, { id: 2 }, { id: 1 }],
    'without a search there is no score');
});

test('each row has its score, which is an order without a cursor', async t => {
  const { column, get, refuses } = await searched(t, { language: 'english' });
  const { data, meta } = await get(path('tea', { orderBy: '_score:desc', fields: 'title' }));
  t.same(data.map(({ id, title }: { id: number; title: string }) => [id, title]), [[1, 'Green tea'], [2, 'Coffee']],
    'a hit in the title weighs more');
  t.ok(data[0]._score > data[1]._score && data[1]._score > 0);
  t.equal(meta.nextCursor, undefined);
  t.same(Object.keys(data[0]), ['id', 'title', '_score'], 'it needs no fields');
  t.same(await column(path('tea', { orderBy: '_score' })), [2, 1]);
  t.same(await column(path('filler', { orderBy: '_score:desc', limit: 3 })), [1500, 1499, 1498], 'the key breaks ties');
  t.same(await column(path('filler', { orderBy: '[{"field":"_score"},{"field":"id","direction":"asc"}]', limit: 3, offset: 2 })),
    [102, 103, 104]);
  t.same(await column(path('lyon', { orderBy: '[{"field":"title","direction":"desc"},"_score:desc"]' })), [3, 1], 'it may come second');
  const first = await get(path('filler', { orderBy: '_score:desc', limit: 2 }));
  t.same([first.meta.hasMore, 'nextCursor' in first.meta], [true, false]);

  const { meta: { nextCursor } } = await get(path('filler', { limit: 2 }));
  t.same(await column(path('filler', { limit: 2, after: nextCursor })), [1498, 1497], 'any other order has one, also in a search');
  t.same(await refuses(path('filler', { orderBy: '_score:desc', after: nextCursor }), 400, 'SCORE_CURSOR_UNSUPPORTED'),
    { field: '_score' });
  t.match(await refuses('articles?orderBy=_score:desc', 400, 'UNKNOWN_ORDER_BY_FIELD'), { field: '_score' },
    'without a search there is none');
  t.match(await refuses(`notes?${query({ searchString: 'tea', orderBy: '_score:desc' })}`, 400, 'UNKNOWN_ORDER_BY_FIELD'),
    { collection: 'notes' });
  t.match(await refuses(`articles?${query({ searchString: 'tea', include: { notes: { orderBy: '_score:desc' } } })}`, 400,
    'UNKNOWN_ORDER_BY_FIELD'), { collection: 'notes' });
  await refuses(`notes?${query({ searchString: 'tea', include: { article: { orderBy: '_score:desc' } } })}`, 400, 'UNKNOWN_ORDER_BY_FIELD');
  await refuses(`articles/aggregate?${query({ searchString: 'tea', select: 'count()', groupBy: 'open', orderBy: '_score' })}`, 400,
    'UNKNOWN_ORDER_BY_FIELD');
  t.same(await refuses(path('tea', { distinct: 'true' }), 400, 'DISTINCT_NOT_APPLICABLE'), { parameter: 'searchString' });
  t.same(await refuses(`articles/count?${query({ searchString: 'tea', distinct: 'true', fields: 'title' })}`, 400,
    'DISTINCT_NOT_APPLICABLE'), { parameter: 'searchString' });
  t.same(await column(`notes?${query({ searchString: 'tea', distinct: 'true', fields: 'text' })}`, 'text'), ['tea'],
    'a search for substrings allows it');
  t.same((await get(`notes?${query({ searchString: 'tea', searchExplain: 'true', fields: 'id' })}`)).data, [{ id: 2 }, { id: 1 }],
    'and has neither score nor matches');
});

test('the rows of a relation are searched as their collection is', async t => {
  const { column, get } = await searched(t, { language: 'english' });
  t.same(await column('articles/1/notes?searchString=tea'), [1]);
  const nested = await get(`notes/2/article?${query({ searchString: 'roasting', fields: 'title' })}`);
  t.match(nested.data, [{ id: 2, title: 'Coffee', _score: Number }]);
  t.same((await get(`notes/1/article?${query({ searchString: 'roasting' })}`)).data, []);
  t.same(await get(`notes/2/article/count?${query({ searchString: 'roasting' })}`), { count: 1 });
  const included = await get(path('tea', { include: { notes: { where: { text: 'tea' }, fields: ['text'] } } }));
  t.match(included.data, [{ id: 2, _score: Number, notes: [{ id: 2, text: 'tea' }] }, { id: 1, notes: [{ id: 1 }] }]);
  t.same(await column(path('tea', { 'notes.text': 'eq.tea', or: '(id.eq.1,id.eq.4)' })), [1]);
});

test('hybrid finds parts of words, accents or not, and scores them below every word', async t => {
  const { column, get } = await searched(t, { language: 'english', mode: 'hybrid' });
  t.match((await get(path('offe'))).data, [{ id: 2, _score: 0.001 }]);
  t.same(await column(path('gree offe', { orderBy: '_score:desc' })), [2], 'every part must be there');
  t.same(await column(path('"reen te"')), [1], 'a phrase is one part');
  t.same(await column(path('tea', { orderBy: '_score:desc' })), [1, 2]);
  t.same(await column(path('seyes')), [3]);
  t.same(await column(path('KRAKO')), [1]);
  t.same([await column(path('%')), await column(path('s_y'))], [[], []], 'wildcards are what they are');
  t.same(await column(path('zanzi')), []);
});

test('accents make no difference with unaccent, in words', async t => {
  const { column } = await searched(t, { language: 'german', unaccent: true });
  for (const word of ['seyes', 'SÉYÈS', 'muller', 'Müller', 'krakow']) t.equal((await column(path(word))).length, 1, word);
  t.same(await column(path('krak')), [], 'words are whole');
});

test('fuzzy finds words that are alike, and adds how much', async t => {
  const { column, get } = await searched(t, { fuzzy: true });
  const { data } = await get(path('cofee'));
  t.match(data, [{ id: 2, _score: 0.625 }]);
  t.ok((await get(path('coffee'))).data[0]._score > 1, 'the word itself is as alike as can be, and has its rank');
  t.same(await column(path('gren tee', { orderBy: 'id' })), [1, 2]);
  t.same(await column(path('gren zzzz')), [], 'every word');
  t.same(await column(path('xyzzy')), []);
  const strict = await searched(t, { fuzzy: true, fuzzyThreshold: 0.9 });
  t.same(await strict.column(path('cofee')), []);
});

test('searchExplain shows where the words were found', async t => {
  const { get } = await searched(t, { language: 'english', mode: 'hybrid', fuzzy: true });
  const matches = async (text: string) =>
    (await get(path(text, { searchExplain: 'true', orderBy: '_score:desc', limit: 1 }))).data[0]?._matches;
  t.same(await matches('green tea'), [{ field: 'title', snippet: '<mark>Green</mark> <mark>tea</mark>' }],
    'as declared, and only fields with a hit');
  t.same(await matches('paper'), [{ field: 'body', snippet: 'Séyès ruled  <mark>paper</mark>  &amp; ink, for &quot;notes' }],
    'a snippet is HTML, and holds no other');
  t.same(await matches('seyes'), [{ field: 'body', snippet: '<mark>Séyès</mark> ruled  paper  &amp; ink, for &quot;notes' }],
    'as it is written');
  t.same(await matches('krak lyo'), [{ field: 'maker.contact', snippet: 'Müller\n<mark>Kraków</mark>\n<mark>Lyon</mark>' }],
    'parts of words mark the word');
  t.same(await matches('cofee'), [{ field: 'title', snippet: '<mark>Coffee</mark>' }], 'and so do words that are alike');
  t.same(await matches('leaf'), [{ field: 'tags', snippet: '<mark>leaf</mark>\nslow sip' }]);
  t.same(Object.keys((await get(path('leaf', { searchExplain: '1' }))).data[0]), ['id', '_score'], 'only true is true');
  const plain = await searched(t, { language: 'english' });
  t.match((await plain.get(path('waiting', { searchExplain: 'true' }))).data,
    [{ id: 1, _matches: [{ field: 'body', snippet: 'Boil water, let it run. Then <mark>wait</mark>' }] }], 'by their stem');
});
