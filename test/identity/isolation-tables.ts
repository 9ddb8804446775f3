import type postgres from 'postgres';

/** Each table's policy reads the caller in another way; the model below them in isolation-model.ts says the same again. */
export const TABLES = `
  create table folders (id integer primary key, owner_uid text not null, name text not null, shared boolean not null);
  create table notes (id integer primary key, folder_id integer references folders, owner_uid text not null,
    title text not null, priority integer not null);
  create table tags (id integer primary key, team text not null, name text not null);
  create table note_tags (note_id integer not null references notes, tag_id integer not null references tags,
    primary key (note_id, tag_id));
  create table letters (id integer primary key, note_id integer not null references notes,
    sender_uid text not null, grade integer, for_guests boolean not null);
  create index on notes (folder_id);
  create index on notes (owner_uid);
  create index on notes (priority);
  create index on note_tags (tag_id);
  create index on letters (note_id);

  alter table folders enable row level security;
  alter table notes enable row level security;
  alter table tags enable row level security;
  alter table note_tags enable row level security;
  alter table letters enable row level security;

  create policy own on folders using (owner_uid = service.uid() or shared);
  create policy own on notes using (owner_uid = (select service.uid()));
  create policy admin on notes using ('admin' = any (string_to_array((select service.roles()), ',')));
  create policy team on tags using (team = (select service.jwt() ->> 'team'));
  create policy with_note on note_tags using (note_id in (select notes.id from notes));
  -- Opens wide for who has not entered: a row that is read too early shows.
  create policy of_others on letters using (sender_uid is distinct from service.uid());
  create policy guests on letters as restrictive using (for_guests or not (select service.is_anonymous()));`;

/** Callers 0 to n-1 own three folders and a dozen notes each; tags and letters cut across them. */
export const ROWS = `
  insert into folders select f, 'caller ' || f / 3, 'folder ' || f % 7, f % 10 = 0 from generate_series(0, 60 * 3 - 1) f;
  insert into notes select n, case when n % 5 > 0 then (n / 12) * 3 + n % 3 end, 'caller ' || n / 12, 'title ' || n * 37 % 101, n % 7
  from generate_series(0, 60 * 12 - 1) n;
  insert into tags select t, 'team ' || t % 4, 'tag ' || t from generate_series(0, 39) t;
  insert into note_tags select n, (n * 7 + k * 11) % 40 from generate_series(0, 60 * 12 - 1) n, generate_series(0, 2) k;
  insert into letters select l, l % (60 * 12), 'caller ' || l * 13 % 60, case when l % 4 > 0 then l % 9
  end, l % 3 = 0 from generate_series(0, 1799) l;
  analyze folders, notes, tags, note_tags, letters;`;

export type Folder = { id: number; ownerUid: string; name: string; shared: boolean };
export type Note = { id: number; folderId: number | null; ownerUid: string; title: string; priority: number };
export type Tag = { id: number; team: string; name: string };
export type NoteTag = { noteId: number; tagId: number };
export type Letter = { id: number; noteId: number; senderUid: string; grade: number | null; forGuests: boolean };
export type Rows = { folders: Folder[]; notes: Note[]; tags: Tag[]; noteTags: NoteTag[]; letters: Letter[] };

/** All rows, read as the owner, past row security. */
export async function loadRows(owner: postgres.Sql): Promise<Rows> {
  const [folders, notes, tags, noteTags, letters] = await Promise.all([
    owner<Folder[]>`select id, owner_uid as "ownerUid", name, shared from folders`,
    owner<Note[]>`select id, folder_id as "folderId", owner_uid as "ownerUid", title, priority from notes`,
    owner<Tag[]>`select id, team, name from tags`,
    owner<NoteTag[]>`select note_id as "noteId", tag_id as "tagId" from note_tags`,
    owner<Letter[]>`select id, note_id as "noteId", sender_uid as "senderUid", grade, for_guests as "forGuests" from letters`,
  ]);
  return { folders, notes, tags, noteTags, letters };
}
