// Writes through relations of each kind: what compiles, the service does not refuse for the relation.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { createClient, type AnySchema, type Client, type RowgateError } from '../../client/src/index.ts';
import { ROOT } from '../harness/server.ts';
import { createService, SERVICE_KEY } from '../harness/service.ts';
import { vocabulary } from '../meta/vocabulary.ts';
import { checker } from './compiler.ts';

type Five<T> = [create: T, update: T, remove: T, link: T, updateLink: T];
type Call = [method: string, ...args: unknown[]];

const NOT_WRITABLE = 'RELATION_NOT_WRITABLE';
/** By collection and relation: the code of each write, `answered` where it is written. */
const ANSWERS: Record<string, Five<string>> = {
  'authors posts': ['answered', 'answered', 'answered', 'answered', 'RELATION_HAS_NO_PIVOT'],
  'posts tags': ['answered', 'answered', 'answered', 'answered', 'answered'],
  'posts summary': [NOT_WRITABLE, NOT_WRITABLE, NOT_WRITABLE, NOT_WRITABLE, NOT_WRITABLE],
  'posts author': [NOT_WRITABLE, NOT_WRITABLE, NOT_WRITABLE, NOT_WRITABLE, NOT_WRITABLE],
  'posts audience': [NOT_WRITABLE, NOT_WRITABLE, 'RELATION_NOT_UNLINKABLE', NOT_WRITABLE, NOT_WRITABLE],
};

const callsWith = (id: unknown, created: object, changes: object, pivot: object = {}, removed = id): Five<Call> =>
  [['create', created], ['update', id, changes], ['remove', removed], ['link', id], ['updateLink', id, pivot]];

test('a relation has the writes that the service takes through it', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: t.testdir(vocabulary) } });
  const [row] = await service.sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const db = createClient<AnySchema>({ url: service.address, schema: { version: '', collections: {} }, token: SERVICE_KEY }) as Client<any>;
  const author = await db.from('authors').create({ name: 'Ada' });
  const post = await db.from('posts').create({ title: 'On engines', authorId: author.id });
  const spare = await db.from('posts').create({ title: 'To be removed', authorId: author.id });
  const tag = await db.from('tags').create({ name: 'new' });
  await db.from('posts').update(post.id, { tags: [tag.id] });
  await db.from('comments').create({ text: 'Fine.', postId: post.id, authorId: author.id });
  await db.from('summaries').create({ id: 's', text: 'Short.', postId: post.id });
  const people = callsWith(author.id, { name: 'Eve' }, { name: 'Eve' });
  const calls: Record<string, Five<Call>> = {
    'authors posts': callsWith(post.id, { title: 'On notes' }, { title: 'On notes' }, {}, spare.id),
    'posts tags': callsWith(tag.id, { name: 'old' }, { name: 'newer' }, { weight: 2 }),
    'posts summary': callsWith('s', { id: 't' }, { text: '-' }), 'posts author': people, 'posts audience': people,
  };
  const below = Object.entries(ANSWERS).flatMap(([way, codes]) => codes.map((code, n) => {
    const [from = '', relation = ''] = way.split(' ');
    const [method, ...args] = calls[way]?.[n] as Call;
    return { code, from, relation, method, args, of: (from === 'posts' ? post.id : author.id) as unknown };
  }));
  const file = join(t.testdir({ 'rowgate.types.ts': typesFile(row?.contract as Contract) }), 'uses.ts');
  writeFileSync(file, [
    `declare const db: import('${join(ROOT, 'client/src/index.ts')}').Client<import('./rowgate.types.ts').Schema>;`,
    ...below.map(({ from, of, relation, method, args }) =>
      `void db.from('${from}').related(${JSON.stringify(of)}, '${relation}').${method}(${JSON.stringify(args).slice(1, -1)});`),
  ].join('\n'));
  const complaints = new Set(checker([file]).complaints.map(complaint => Number(/:(\d+) /.exec(complaint)?.[1])));
  for (const [n, { code, from, of, relation, method, args }] of below.entries()) {
    const about = `${from} ${relation} ${method}`;
    const rows = db.from(from).related(of, relation) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    t.equal(await rows[method]?.(...args).then(() => 'answered', (error: unknown) => (error as RowgateError).code), code, about);
    // An empty change of a row that is there links nothing.
    t.equal(!complaints.has(n + 2), code === 'answered' && about !== 'authors posts link', `${about} compiles`);
  }
});

const id = { type: 'number', isId: 'increment' };
const securityRules = [{ operation: 'all', access: 'public' }];
const through = {
  table: 'ratings', sourceColumn: 'fan_id', targetColumn: 'film_id',
  properties: { stars: { type: 'number', columnType: 'bigint' }, seen: { type: 'date' } },
};
const fans = {
  slug: 'fans', securityRules,
  properties: { id, films: { type: 'relation', relation: { kind: 'manyToMany', target: 'films', through } } },
};
const films = { slug: 'films', securityRules, properties: { id } };

test('a link takes exact numbers and dates, by updateLink as with a create', async t => {
  const folder = t.testdir({ 'fans.json': JSON.stringify(fans), 'films.json': JSON.stringify(films) });
  const { address, sql } = await createService(t, { template: 'served', env: { SERVICE_COLLECTIONS_DIR: folder } });
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  const types = join(folder, 'rowgate.types.ts');
  const file = join(folder, 'uses.ts');
  writeFileSync(types, typesFile(row?.contract as Contract));
  writeFileSync(file, `
    export async function uses(db: import('${join(ROOT, 'client/src/index.ts')}').Client<import('./rowgate.types.ts').Schema>) {
      await db.from('fans').related(1, 'films').updateLink(1, { stars: 5n, seen: new Date(0) });
      await db.from('fans').related(1, 'films').updateLink(1, { stars: null });
      await db.from('fans').create({ films: [{ id: 1, _pivot: { stars: 5n, seen: new Date(0) } }] });
      const text: string | null | undefined = (await db.from('fans').related(1, 'films').list()).data[0]?._pivot.stars;
      void text;
      // @ts-expect-error no such column
      await db.from('fans').related(1, 'films').updateLink(1, { star: 5n });
    }`);
  t.same(checker([file]).complaints, []);
  const db = createClient<AnySchema>({ url: address, schema: { version: '', collections: {} }, token: SERVICE_KEY }) as Client<any>;
  const film = await db.from('films').create({});
  const fan = await db.from('fans').create({ films: [film.id] });
  const seen = db.from('fans').related(fan.id, 'films') as any;
  await seen.updateLink(film.id, { stars: 5n, seen: new Date(0) });
  t.match((await seen.list()).data, [{ id: film.id, _pivot: { stars: 5, seen: /^1970-01-01/ } }]);
});
