import { test, type Test } from 'tap';
import { createService, type TestService } from '../harness/service.ts';
import { asker, sightOf } from './isolation-model.ts';
import { PLANNERS } from './isolation-planners.ts';
import { planOf, scans, ungatedScans } from './isolation-plan-walk.ts';
import { question, SHAPE_NAMES } from './isolation-requests.ts';
import { statement } from './isolation-run.ts';
import { loadRows, ROWS, TABLES } from './isolation-tables.ts';

type Planned = { path: string; text: string; parameters: string[] };

/** Beside those that the model answers: what else a statement can be made of. */
const FURTHER = [
  'notes?include=*&limit=2',
  'notes?not=(folder.name.eq.folder 1,priority.gt.3)',
  'notes?or=(folder.name.eq.folder 1,and(tags.team.eq.team 1,priority.in.(1,2)))',
  'notes?folder=isnull.&tags=notnull.&title=ilike.%257%25',
  'notes/count?or=(letters.grade.gt.3,and(letters.forGuests.eq.true,priority.lt.2))',
  `folders?include=${encodeURIComponent(JSON.stringify({ notes: {
    where: { 'tags.team': ['==', 'team 1'], 'folder.name': ['==', 'folder 2'] }, include: { tags: { include: { notes: { limit: 1 } } } },
  } }))}`,
  'folders/3/notes?tags.name=eq.tag 1&orderBy=priority:desc&include=letters,folder&limit=3&offset=1',
  'notes/13?letters.grade=gte.1&fields=title&include=tags',
];

test('in every plan of every shape the gate is a One-Time Filter above each scan of a table', async t => {
  const { service, statements } = await plannedStatements(t);
  t.ok(statements.length >= SHAPE_NAMES.length + FURTHER.length);
  for (const { path, text, parameters } of statements) {
    for (const settings of PLANNERS) {
      const plan = await planOf(service.sql, text, parameters, settings);
      t.ok(scans(plan).length > 0 && scans(plan).every(name => name.startsWith('public.')), path);
      t.same(ungatedScans(plan), [], `${path} ${JSON.stringify(settings)}`);
    }
  }
});

test('each place where a statement names the gate is needed', async t => {
  const { service, statements } = await plannedStatements(t);
  for (const { path, text, parameters } of statements) {
    const places = text.split('ctx.ok').length - 1;
    t.ok(places > 0, path);
    for (let place = 0; place < places; place += 1) {
      let at = 0;
      const without = text.replaceAll('ctx.ok', gate => at++ === place ? 'true' : gate);
      t.not(ungatedScans(await planOf(service.sql, without, parameters, {})).length, 0, `${path}, place ${place}`);
    }
  }
});

async function plannedStatements(t: Pick<Test, 'teardown'>): Promise<{ service: TestService; statements: Planned[] }> {
  const service = await createService(t, { template: 'served', setup: TABLES + ROWS });
  const caller = asker('caller 1', [], false, 'team 1');
  const sight = sightOf(caller, await loadRows(service.sql));
  const questions = SHAPE_NAMES.map(shape => question(shape, sight, 5));
  const cursors = await Promise.all(questions.filter(({ pages }) => pages).map(({ path }) => nextPage(service, path)));
  const paths = [...questions.map(({ path }) => path), ...cursors, ...FURTHER];
  const statements = await Promise.all(paths.map(async path => ({ path, ...await statement(service, caller, path) })));
  return { service, statements };
}

async function nextPage(service: TestService, path: string): Promise<string> {
  const { text } = await service.request(`/data/${path}`);
  return `${path}&after=${(JSON.parse(text) as { meta: { nextCursor: string } }).meta.nextCursor}`;
}
