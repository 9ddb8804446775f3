// An edit that a process wrote and did not commit before it ended is undone by the next start; an edit that another process is making is
// left alone.
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { runGateway } from '../boot/gateway.ts';
import { createDatabase } from '../harness/database.ts';
import '../harness/service.ts'; // registers the templates
import { id, POSTS, projectFolder, withProperty, type Folder } from './project.ts';

const journalOf = ({ root }: Folder) => join(root, '.git/rowgate-edit.json');
const keepJournal = (folder: Folder, pid: number, path: string) => { writeFileSync(journalOf(folder), JSON.stringify({ pid, path })); };
const gone = spawnSync('true').pid;

test('a start takes a half edit back, also where the folder is a link', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  const folder = projectFolder(t);
  const link = join(projectFolder(t, 'none').root, 'linked');
  symlinkSync(folder.collections, link);
  const start = () => runGateway(t, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: link, SERVICE_PROVISION_ONLY: 'true' });
  folder.write('posts.json', withProperty('subtitle', { type: 'string' }));
  keepJournal(folder, gone, 'collections/posts.json');
  t.match(await start(), { code: 0, output: /collections\/posts\.json: an edit that was not committed/ });
  t.equal(folder.read('posts.json'), POSTS);
  folder.write('tags.json', { slug: 'tags', properties: { id } });
  folder.git('add', 'collections/tags.json');
  keepJournal(folder, gone, 'collections/tags.json');
  t.match(await start(), { code: 0, output: /collections\/tags\.json: an edit/ });
  t.notOk(existsSync(join(folder.collections, 'tags.json')));
  t.same([folder.git('status', '--porcelain'), existsSync(journalOf(folder))], ['', false]);
  t.same((await sql`select slug from service.collections`).map(({ slug }) => slug as string), ['posts']);
});

test('committed edits stay, and so do edits of a running process', async t => {
  const { url } = await createDatabase(t, { template: 'served' });
  const folder = projectFolder(t);
  const start = () => runGateway(t, { DATABASE_URL: url, SERVICE_COLLECTIONS_DIR: folder.collections, SERVICE_PROVISION_ONLY: 'true' });
  const written = withProperty('subtitle', { type: 'string' });
  folder.write('posts.json', written);
  keepJournal(folder, process.pid, 'collections/posts.json');
  t.match(await start(), { code: 0 });
  t.same([JSON.parse(folder.read('posts.json')), existsSync(journalOf(folder))], [written, true]);
  folder.git('commit', '--quiet', '--all', '-m', 'Committed before it ended');
  keepJournal(folder, gone, 'collections/posts.json');
  const { code, output } = await start();
  t.match([code, /an edit that/.test(output)], [0, false]);
  t.same([JSON.parse(folder.read('posts.json')), existsSync(journalOf(folder))], [written, false]);
});
