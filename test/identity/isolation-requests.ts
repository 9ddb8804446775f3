import { byIdDescending, folderOf, notesIn, pageOf, type Page, type Sight } from './isolation-model.ts';
import type { Note } from './isolation-tables.ts';

/** A request and what one caller must be answered; undefined is 404. `pages`: also follow its cursor, page by page. */
export type Question = { shape: string; path: string; expected: unknown; pages?: Page[] };

/** Asks about row n, or with the number n, whatever the shape has a number for. */
type Ask = (sight: Sight, n: number) => Omit<Question, 'shape'>;

const titles = (a: Note, b: Note) => a.title < b.title ? -1 : a.title > b.title ? 1 : b.id - a.id;
const include = (tree: object) => encodeURIComponent(JSON.stringify(tree));

const SHAPES: Record<string, Ask> = {
  'get': ({ notes, noteIds }, n) => ({ path: `notes/${pick(noteIds, n)}`, expected: notes.find(({ id }) => id === pick(noteIds, n)) }),
  'get, open to all but one': ({ letters, letterIds }, n) =>
    ({ path: `letters/${pick(letterIds, n)}`, expected: letters.find(({ id }) => id === pick(letterIds, n)) }),
  'get with a to-one': (sight, n) => {
    const note = sight.notes.find(({ id }) => id === pick(sight.noteIds, n));
    return { path: `notes/${pick(sight.noteIds, n)}?include=folder`, expected: note && { ...note, folder: folderOf(sight, note) } };
  },
  'get with a to-many': (sight, n) => {
    const folder = sight.folders.find(({ id }) => id === n % 180);
    return { path: `folders/${n % 180}?include=notes`, expected: folder && { ...folder, notes: notesIn(sight, folder) } };
  },
  'list': ({ notes }, n) => ({ path: `notes?limit=${n % 9 + 1}`, expected: pageOf(byIdDescending(notes), n % 9 + 1) }),
  'list of what all but one may see': ({ letters }, n) =>
    ({ path: `letters?limit=5&offset=${n % 30}`, expected: pageOf(byIdDescending(letters), 5, n % 30) }),
  'list, filtered and sorted': ({ notes }, n) =>
    ({
      path: `notes?priority=gte.${n % 7}&orderBy=title:asc&limit=10&offset=2`,
      expected: pageOf(notes.filter(note => note.priority >= n % 7).sort(titles), 10, 2),
    }),
  'list, either of two': ({ folders }, n) =>
    ({
      path: `folders?or=(name.eq.folder ${n % 7},shared.eq.true)&limit=20`,
      expected: pageOf(byIdDescending(folders.filter(folder => folder.name === `folder ${n % 7}` || folder.shared)), 20),
    }),
  'count': ({ notes }, n) =>
    ({ path: `notes/count?priority=lt.${n % 7}`, expected: { count: notes.filter(note => note.priority < n % 7).length } }),
  'count of what all but one may see': ({ letters }) => ({ path: 'letters/count', expected: { count: letters.length } }),
  'cursor, key only': ({ letters }, n) =>
    walk('letters', byIdDescending(letters.filter(letter => letter.noteId >= 600)), `noteId=gte.600&limit=${n % 20 + 80}`, n % 20 + 80),
  'cursor, nulls first': ({ letters }, n) => walk('letters',
    letters.filter(letter => letter.noteId < 60).sort((a, b) => (b.grade ?? 99) - (a.grade ?? 99) || b.id - a.id),
    `noteId=lt.60&orderBy=grade:desc&limit=${n % 9 + 30}`, n % 9 + 30),
  'cursor, nulls last': ({ letters }) => walk('letters',
    letters.filter(letter => letter.noteId < 60).sort((a, b) => (a.grade ?? 99) - (b.grade ?? 99) || b.id - a.id),
    'noteId=lt.60&orderBy=grade:asc&limit=50', 50),
  'include to-one': (sight, n) =>
    ({
      path: `notes?include=folder&limit=8&offset=${n % 5}`,
      expected: pageOf(byIdDescending(sight.notes).map(note => ({ ...note, folder: folderOf(sight, note) })), 8, n % 5),
    }),
  'include to-many': (sight, n) =>
    ({
      path: `folders?include=notes&limit=${n % 4 + 2}`,
      expected: pageOf(byIdDescending(sight.folders).map(folder => ({ ...folder, notes: notesIn(sight, folder) })), n % 4 + 2),
    }),
  'include many-to-many': (sight, n) =>
    ({
      path: `notes?include=tags&limit=${n % 4 + 3}`,
      expected: pageOf(byIdDescending(sight.notes).map(note => ({ ...note, tags: byIdDescending(sight.tagsOf(note)) })), n % 4 + 3),
    }),
  'include two hops, over the junction': (sight, n) => ({
    path: `tags?limit=3&include=${include({ notes: { limit: n % 3 + 1, include: { folder: {} } } })}`,
    expected: pageOf(byIdDescending(sight.tags).map(tag =>
      ({
        ...tag, notes: byIdDescending(sight.notesOf(tag)).slice(0, n % 3 + 1).map(note => ({ ...note, folder: folderOf(sight, note) })),
      })), 3),
  }),
  'include two hops, many of many': (sight, n) => ({
    path: `folders?limit=4&orderBy=id:asc&include=${include({
      notes: { include: { letters: { limit: 3, where: { grade: ['>=', n % 8] } } } },
    })}`,
    expected: pageOf(sight.folders.toSorted((a, b) => a.id - b.id).map(folder => ({
      ...folder, notes: notesIn(sight, folder).map(note => ({
        ...note,
        letters: byIdDescending(sight.letters.filter(letter => letter.noteId === note.id && letter.grade !== null && letter.grade >= n % 8))
          .slice(0, 3) })) })), 4),
  }),
  'filter on a to-one': (sight, n) =>
    ({
      path: `notes?folder.name=eq.folder ${n % 7}&limit=10`,
      expected: pageOf(byIdDescending(sight.notes.filter(note => folderOf(sight, note)?.name === `folder ${n % 7}`)), 10),
    }),
  'filter on a to-many': (sight, n) =>
    ({
      path: `folders?notes.priority=gt.${n % 7}&limit=10`,
      expected: pageOf(byIdDescending(sight.folders.filter(folder => notesIn(sight, folder).some(note => note.priority > n % 7))), 10),
    }),
  'filter on what a to-many lacks': (sight, n) =>
    ({
      path: `folders?notes.priority=neq.${n % 7}&limit=30`,
      expected: pageOf(byIdDescending(sight.folders.filter(folder => !notesIn(sight, folder).some(note => note.priority === n % 7))), 30),
    }),
  'filter on a many-to-many': (sight, n) =>
    ({ path: `notes?tags=in.(${n % 40},${(n + 5) % 40})&limit=20`, expected: pageOf(
      byIdDescending(sight.notes.filter(note => sight.tagsOf(note).some(tag => tag.id === n % 40 || tag.id === (n + 5) % 40))), 20,
    ) }),
  'count over a relation': (sight, n) =>
    ({ path: `letters/count?note.priority=eq.${n % 7}`, expected: {
      count: sight.letters.filter(letter => sight.notes.some(note => note.id === letter.noteId && note.priority === n % 7)).length,
    } }),
  'nested list': (sight, n) => {
    const folder = sight.folders[n % sight.folders.length];
    return { path: `folders/${folder?.id ?? n % 180}/notes?limit=5`, expected: pageOf(folder ? notesIn(sight, folder) : [], 5) };
  },
  'nested list over the junction': (sight, n) => {
    const note = sight.notes.find(({ id }) => id === pick(sight.noteIds, n));
    return { path: `notes/${pick(sight.noteIds, n)}/tags?limit=5`, expected: pageOf(note ? byIdDescending(sight.tagsOf(note)) : [], 5) };
  },
  'nested get': (sight, n) => {
    const letter = sight.letters.find(({ id }) => id === pick(sight.letterIds, n));
    const noteId = letter?.noteId ?? 7;
    return {
      path: `notes/${noteId}/letters/${pick(sight.letterIds, n)}`,
      expected: sight.notes.some(({ id }) => id === noteId) ? letter : undefined,
    };
  },
  'nested get, two parents': (sight, n) => {
    const reached = sight.folders.flatMap(folder => notesIn(sight, folder).flatMap(note =>
      sight.letters.filter(letter => letter.noteId === note.id).map(letter =>
        ({ path: `folders/${folder.id}/notes/${note.id}/letters/${letter.id}`, expected: letter }))));
    return reached[n % reached.length] ?? { path: `folders/1/notes/${n % 720}/letters/${pick(sight.letterIds, n)}`, expected: undefined };
  },
  'nested count': (sight, n) => {
    const noteId = pick(sight.noteIds, n);
    const seen = sight.notes.some(({ id }) => id === noteId);
    return {
      path: `notes/${noteId}/letters/count`,
      expected: { count: seen ? sight.letters.filter(letter => letter.noteId === noteId).length : 0 },
    };
  },
};

/** For collections with a search block (isolation-search.test.ts). Every title has one number, so all hits weigh the same. */
const SEARCHES: Record<string, Ask> = {
  'ranked search': ({ notes }, n) => {
    const found = notes.filter(note => note.title === `title ${n % 101}`).map(note => ({ ...note, _score: 0.24317084 }));
    return { path: `notes?searchString=${n % 101}&limit=5`, expected: pageOf(byIdDescending(found), 5) };
  },
  'ranked search by relevance, filtered': ({ notes }, n) => {
    const found = notes.filter(note => note.priority >= n % 7).map(note => ({ ...note, _score: 0.24317084 }));
    const { data, meta } = pageOf(byIdDescending(found), 7, n % 3);
    // More without a cursor reads as no more (isolation-run.ts), and this order has none.
    return {
      path: `notes?searchString=title&priority=gte.${n % 7}&orderBy=_score:desc&limit=7&offset=${n % 3}`,
      expected: { data, meta: { ...meta, hasMore: false } },
    };
  },
  'ranked search of what all but one may see': ({ letters }, n) => ({
    path: `letters/count?searchString="caller ${n % 60}"`,
    expected: { count: letters.filter(letter => letter.senderUid.startsWith(`caller ${n % 60}`)).length },
  }),
};

export const SEARCH_NAMES = Object.keys(SEARCHES);
export const SHAPE_NAMES = Object.keys(SHAPES);

function pick(ids: readonly number[], n: number): number {
  return ids[n % ids.length] ?? n;
}

export function question(shape: string, sight: Sight, n: number): Question {
  const ask = SHAPES[shape] ?? SEARCHES[shape];
  if (ask === undefined) throw new Error(`There is no shape ${shape}.`);
  return { shape, ...ask(sight, n) };
}

/** A list whose pages are all read, each with the cursor of the one before. A cursor's page counts from its own start. */
function walk(collection: string, rows: unknown[], query: string, limit: number): Omit<Question, 'shape'> {
  const starts = Array.from({ length: Math.max(1, Math.ceil(rows.length / limit)) }, (_, i) => i * limit);
  const pages = starts.map((start): Page =>
    ({ data: rows.slice(start, start + limit), meta: { total: rows.length, limit, offset: 0, hasMore: rows.length > start + limit } }));
  return { path: `${collection}?${query}`, expected: pages[0], pages };
}
