import { enteringValues, verifiedClaims, type EnteringValues } from '../../gateway/identity/caller.ts';
import type { Folder, Letter, Note, Rows, Tag } from './isolation-tables.ts';

/** The callers, as the gateway passes them to the database. */
export type Asker = { uid: string; roles: string[]; guest: boolean; team: string; claims: EnteringValues };

/** The rows that one caller sees: the policies of isolation-tables.ts once more, over the rows that the owner read. */
export type Sight = {
  folders: Folder[];
  notes: Note[];
  tags: Tag[];
  letters: Letter[];
  tagsOf: (note: Note) => Tag[];
  notesOf: (tag: Tag) => Note[];
  /** Ids worth asking for: some of their own, some of others, some that are hidden from them. */
  noteIds: number[];
  letterIds: number[];
};

/** 64 callers: owners of rows, four of them admins and eight guests, visitors, the service key, and names that need quoting. */
export function askers(): Asker[] {
  const owners = Array.from({ length: 58 }, (_, i) =>
    asker(`caller ${i}`, i % 15 === 7 ? ['editor', 'admin'] : i % 4 === 0 ? ['editor'] : [], i % 7 === 3, `team ${i % 5}`));
  return [
    ...owners,
    asker('anonymous', ['anon'], false, 'team 0'),
    asker('service', ['admin'], false, ''),
    asker('O\'Neil, "quoted" \\ $1', ['Admin', 'administrator'], false, 'team \'1\''),
    asker('caller 1,caller 2', ['anon'], true, 'TEAM 1'),
    asker('CALLER 3', ['ADMIN'], false, 'team 3'),
    asker('愛子 – naïve 🙂', [' admin'], false, 'team 2'),
  ];
}

export function asker(uid: string, roles: string[], guest: boolean, team: string): Asker {
  return { uid, roles, guest, team, claims: enteringValues('user', verifiedClaims(uid, roles, guest, { team })) };
}

export function sightOf({ uid, roles, guest, team }: Asker, rows: Rows): Sight {
  const folders = rows.folders.filter(folder => folder.ownerUid === uid || folder.shared);
  const notes = rows.notes.filter(note => note.ownerUid === uid || roles.includes('admin'));
  const tags = rows.tags.filter(tag => tag.team === team);
  const letters = rows.letters.filter(letter => letter.senderUid !== uid && (letter.forGuests || !guest));
  const noteIds = new Set(notes.map(note => note.id));
  const links = rows.noteTags.filter(link => noteIds.has(link.noteId));
  return {
    folders, notes, tags, letters,
    tagsOf: note => tags.filter(tag => links.some(link => link.noteId === note.id && link.tagId === tag.id)),
    notesOf: tag => notes.filter(note => links.some(link => link.tagId === tag.id && link.noteId === note.id)),
    noteIds: [...rows.notes.filter(note => note.ownerUid === uid), ...rows.notes.slice(100, 106)].map(({ id }) => id),
    letterIds: [...rows.letters.filter(letter => letter.senderUid === uid || noteIds.has(letter.noteId)).slice(0,
      80), ...rows.letters.slice(100, 106)].map(({ id }) => id),
  };
}

export type Page = { data: unknown[]; meta: { total: number; limit: number; offset: number; hasMore: boolean } };

/** A list's answer from all its rows in order. Its cursor is left out: only using it shows whether it is right. */
export function pageOf(rows: unknown[], limit: number, offset = 0): Page {
  return { data: rows.slice(offset, offset + limit), meta: { total: rows.length, limit, offset, hasMore: rows.length > offset + limit } };
}

export function byIdDescending<T extends { id: number }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => b.id - a.id);
}

export function folderOf(sight: Sight, note: Note): Folder | null {
  return sight.folders.find(folder => folder.id === note.folderId) ?? null;
}

export function notesIn(sight: Sight, folder: Folder): Note[] {
  return byIdDescending(sight.notes.filter(note => note.folderId === folder.id));
}
