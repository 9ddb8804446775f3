import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { ROOT } from '../harness/server.ts';
import '../harness/service.ts'; // registers the templates

const WORDS: Record<string, string> = {
  posts: 'post', users: 'user', files: 'file', photos: 'photo', areas: 'area', schemas: 'schema', employees: 'employee', keys: 'key',
  days: 'day', views: 'view', settings: 'setting', sales: 'sale', metrics: 'metric', topics: 'topic', aliens: 'alien',
  mechanisms: 'mechanism', olives: 'olive', archives: 'archive',
  // The key itself is not shown: other pages, and with a tunnel other machines, could read it.
  categories: 'category', cities: 'city', companies: 'company', copies: 'copy', families: 'family', replies: 'reply',
  properties: 'property', entries: 'entry', movies: 'movie', cookies: 'cookie', pies: 'pie', ties: 'tie', hoodies: 'hoodie',
  zombies: 'zombie', series: 'series', species: 'species', subseries: 'subseries',
  // -ses
  addresses: 'address', classes: 'class', processes: 'process', businesses: 'business', statuses: 'status', viruses: 'virus',
  bonuses: 'bonus', buses: 'bus', campuses: 'campus', radiuses: 'radius', censuses: 'census', surpluses: 'surplus', focuses: 'focus',
  cases: 'case', bases: 'base', databases: 'database', houses: 'house', warehouses: 'warehouse', causes: 'cause', clauses: 'clause',
  uses: 'use', abuses: 'abuse', courses: 'course', expenses: 'expense', licenses: 'license', releases: 'release', responses: 'response',
  purchases: 'purchase', phrases: 'phrase', aliases: 'alias', canvases: 'canvas', lenses: 'lens', analyses: 'analysis',
  diagnoses: 'diagnosis', hypotheses: 'hypothesis', crises: 'crisis',
  // -xes, -zes, -ches, -shes, -oes
  boxes: 'box', taxes: 'tax', indexes: 'index', axes: 'axis', sizes: 'size', prizes: 'prize', quizzes: 'quiz', batches: 'batch',
  branches: 'branch', matches: 'match', caches: 'cache', wishes: 'wish', heroes: 'hero', tomatoes: 'tomato', shoes: 'shoe', toes: 'toe',
  // -ves
  wives: 'wife', lives: 'life', shelves: 'shelf', bookshelves: 'bookshelf', halves: 'half', leaves: 'leaf', valves: 'valve',
  sleeves: 'sleeve', drives: 'drive',
  // another word
  people: 'person', salespeople: 'salesperson', children: 'child', grandchildren: 'grandchild', women: 'woman', salesmen: 'salesman',
  specimens: 'specimen', feet: 'foot', teeth: 'tooth', mice: 'mouse', indices: 'index', vertices: 'vertex', matrices: 'matrix',
  invoices: 'invoice', prices: 'price', services: 'service', criteria: 'criterion', alumni: 'alumnus', data: 'data', media: 'media',
  staff: 'staff', equipment: 'equipment', sheep: 'sheep', menus: 'menu', apis: 'api', taxis: 'taxi',
  // no plural
  news: 'news', status: 'status', address: 'address', class: 'class', bus: 'bus', basis: 'basis', analysis: 'analysis', alias: 'alias',
  atlas: 'atlas', lens: 'lens', canvas: 'canvas', human: 'human', specimen: 'specimen', police: 'police', sms: 'sms', gps: 'gps',
  analytics: 'analytics', s: 's', '': '',
  // the last word of a name, as it is written
  order_items: 'order_item', orderItems: 'orderItem', 'order-items': 'order-item', order_statuses: 'order_status', applePies: 'applePie',
  'apple-pies': 'apple-pie', Movies: 'Movie', orderPeople: 'orderPerson', ORDERS: 'ORDER', CATEGORIES: 'CATEGORY', HTMLPages: 'HTMLPage',
  posts_2: 'posts_2', 日本: '日本', größen: 'größen',
};

test('a collection file and a table that was there before get the same singular', async t => {
  const { sql } = await createDatabase(t, { template: 'served' });
  const rows = await sql<{ name: string; singular: string }[]>`
    select n as name, service_private.singular(n) as singular
    from jsonb_array_elements_text(${JSON.stringify(Object.keys(WORDS))}::text::jsonb) n`;
  t.same(Object.fromEntries(rows.map(({ name, singular }) => [name, singular])), WORDS);
});

test('an ending stands in the list once', t => {
  const endings = [...readFileSync(join(ROOT, 'sql/catalog/plurals.sql'), 'utf8').matchAll(/"(\w+)":/g)].map(([, ending]) => ending);
  t.same(endings.filter((ending, n) => endings.indexOf(ending) !== n), []);
  t.ok(endings.length > 100);
  t.end();
});
