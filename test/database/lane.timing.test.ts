import { test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { ask, lane, running } from './lanes.ts';

const BACKEND = 'select pg_backend_pid()::text';

test('no more connections than its size, each with as many statements as its depth', async t => {
  const { url, sql } = await createDatabase(t);
  const narrow = lane(t, url, { size: 3, depth: 1 });
  const backends = await Promise.all(Array.from({ length: 60 }, () => ask(narrow, BACKEND)));
  t.equal(new Set(backends).size, 3);
  const [row] = await sql`select count(*)::int as count from pg_stat_activity
    where application_name = 'rowgate test lane' and datname = current_database()`;
  t.equal(row?.['count'], 3);
});

test('one connection carries what its depth allows at once, and every answer is that of its question', async t => {
  const { url } = await createDatabase(t);
  const deep = lane(t, url, { size: 1, depth: 100 });
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, n) => ask(deep, 'select $1::text', [`${n}`], { prepare: n % 3 > 0 })));
  t.same(answers, Array.from({ length: 1000 }, (_, n) => `${n}`));
});

test('few connections work while statements are short, and slow ones delay no start', async t => {
  const { url, sql } = await createDatabase(t);
  const patient = lane(t, url, { size: 5, eager: 2, patience: 600_000 });
  t.equal(new Set(await Promise.all(Array.from({ length: 60 }, () => ask(patient, BACKEND)))).size, 2);
  const eager = lane(t, url, { size: 5, eager: 2 });
  const slow = [1, 2, 3, 4].map(() => ask(eager, 'select pg_sleep(600)::text').catch(() => 'ended'));
  await until('all four run', async () => (await running(sql, 'select pg_sleep(600)%')).length === 4);
  t.match(await ask(eager, BACKEND), /^\d+$/, 'a short one beside them');
  await sql`select pg_terminate_backend(pid) from unnest(${await running(sql, 'select pg_sleep(600)%')}::int[]) pid`;
  t.same(await Promise.all(slow), ['ended', 'ended', 'ended', 'ended']);
});

test('a connection is replaced after so many prepared statements, and everything under way is answered', async t => {
  const { url } = await createDatabase(t);
  for (const depth of [1, 100]) {
    const one = lane(t, url, { size: 1, depth, preparedLimit: 20 });
    const first = await ask(one, BACKEND);
    const questions = Array.from({ length: 400 }, (_, n) => ask(one,
      `select '${n}' || $1::text || (select case when count(*) <= ${20 + depth} then '' else ' too many' end from pg_prepared_statements)`,
      ['x'], { prepare: true }));
    t.same(await Promise.all(questions), Array.from({ length: 400 }, (_, n) => `${n}x`), `depth ${depth}`);
    t.not(await ask(one, BACKEND), first, 'the connection is another one');
  }
});

test('statements that must not be prepared leave nothing on the server', async t => {
  const { url } = await createDatabase(t);
  const one = lane(t, url);
  for (const n of [1, 2, 3]) await ask(one, `select ${n} + $1::int`, ['1']);
  t.equal(await ask(one, 'select count(*)::text from pg_prepared_statements'), '0');
  await ask(one, 'select $1::int', ['1'], { prepare: true });
  await ask(one, 'select $1::int', ['2'], { prepare: true });
  t.equal(await ask(one, 'select count(*)::text from pg_prepared_statements'), '1');
});

test('a statement whose client left is cancelled, and the next call on the lane is unharmed', async t => {
  const { url, sql } = await createDatabase(t);
  const one = lane(t, url);
  const leaving = new AbortController();
  const slow = t.rejects(ask(one, 'select pg_sleep(60)::text as abandoned', [], { signal: leaving.signal }), { code: '57014' });
  const next = ask(one, BACKEND);
  const [pid] = await until('the statement runs',
    async () => (await running(sql, '%abandoned%')).length > 0 && running(sql, '%abandoned%'));
  leaving.abort();
  await slow;
  t.not(Number(await next), pid, 'another connection: a late cancel finds nobody');
  t.same(await running(sql, '%abandoned%'), []);
});

test('a call whose client left before its turn is not run', async t => {
  const { url, sql } = await createDatabase(t);
  const one = lane(t, url);
  const leaving = new AbortController();
  await sql`create table note (text text)`;
  const first = ask(one, 'select pg_sleep(0.1)::text');
  const second = ask(one, 'insert into note values (\'run\') returning text', [], { signal: leaving.signal });
  leaving.abort();
  await Promise.all([first, t.rejects(second, { code: 'SERVICE_UNAVAILABLE' })]);
  t.same([...await sql`select * from note`], []);
});

test('several statements on one connection are not cancelled for one client', async t => {
  const { url } = await createDatabase(t);
  const deep = lane(t, url, { depth: 100 });
  const leaving = new AbortController();
  const both = [ask(deep, 'select pg_sleep(0.1)::text', [], { signal: leaving.signal }), ask(deep, 'select \'right\'')];
  leaving.abort();
  t.same(await Promise.all(both), ['', 'right']);
});

test('a connection that hangs is given up at the deadline, with everything on it, and replaced', async t => {
  const { url } = await createDatabase(t);
  for (const depth of [1, 100]) {
    const one = lane(t, url, { depth, deadline: 300 });
    const hanging = Promise.allSettled(Array.from({ length: 5 }, () => ask(one, 'select pg_sleep(60)::text')));
    for (const end of await hanging) t.match(end, { status: 'rejected' });
    t.match(await ask(one, BACKEND), /^\d+$/, `depth ${depth}`);
  }
});

test('a connection with nothing to do is closed after a while, and made again when it is needed', async t => {
  const { url, sql } = await createDatabase(t);
  const lazy = lane(t, url, { size: 3, idleTimeout: 100, lockTimeout: 1234 });
  const connections = async () =>
    (await sql`select from pg_stat_activity where application_name = 'rowgate test lane' and datname = current_database()`).length;
  for (let n = 0; n < 3; n++) {
    const backends = await Promise.all(Array.from({ length: 30 }, () => ask(lazy, BACKEND, [], { prepare: true })));
    t.equal(new Set(backends).size, 3);
    t.equal(await ask(lazy, `select current_setting('lock_timeout')`), '1234ms', 'it has the lane’s settings again');
    await until('they are closed', async () => (await connections()) === 0);
  }
  const long = ask(lazy, 'select pg_sleep(1)::text');
  await until('the others are closed', async () => (await connections()) === 1);
  t.equal(await long, '', 'one that is at work is not idle');
  const always = lane(t, url, { size: 1, idleTimeout: 0 });
  const first = await ask(always, BACKEND);
  await ask(always, 'select pg_sleep(0.5)::text');
  t.equal(await ask(always, BACKEND), first);
});

test('a call that waits for a connection ends at the deadline too', async t => {
  const { url } = await createDatabase(t);
  const one = lane(t, url, { deadline: 300 });
  const ends = await Promise.allSettled(Array.from({ length: 50 }, () => ask(one, 'select pg_sleep(60)::text')));
  t.equal(ends.filter(end => end.status === 'rejected').length, 50);
  t.ok(ends.some(end => end.status === 'rejected' && (end.reason as { status?: number }).status === 503),
    'those that waited are told that it is busy');
});

test('the queue has an end', async t => {
  const { url } = await createDatabase(t);
  const one = lane(t, url, { deadline: 60_000 });
  const calls = Array.from({ length: 10_100 }, () => ask(one, 'select pg_sleep(60)::text').catch((error: unknown) => error));
  t.match(await Promise.race(calls), { status: 503, code: 'SERVICE_UNAVAILABLE' },
    'the first answer is a refusal, long before the deadline');
  await one.close(0);
  const ends = await Promise.all(calls);
  t.equal(ends.filter(end => end instanceof Error).length, calls.length, 'closing answers all');
});

test('a connection that the server ends fails what is on it alone', async t => {
  const { url, sql } = await createDatabase(t);
  const deep = lane(t, url, { size: 2, depth: 10 });
  const [doomed, other] = [
    t.rejects(ask(deep, 'select pg_sleep(60)::text as doomed')), ask(deep, 'select pg_sleep(0.2)::text || \'right\''),
  ];
  const [pid = 0] = await until('the statement runs', async () => (await running(sql, '%doomed%')).length > 0 && running(sql, '%doomed%'));
  await sql`select pg_terminate_backend(${pid})`;
  await doomed;
  t.equal(await other, 'right');
  t.same(await Promise.all(Array.from({ length: 20 }, (_, n) => ask(deep, 'select $1::text', [`${n}`]))),
    Array.from({ length: 20 }, (_, n) => `${n}`));
});

test('closing lets what is under way finish', async t => {
  const { url } = await createDatabase(t);
  const one = lane(t, url);
  const last = ask(one, 'select pg_sleep(0.1)::text || \'finished\'');
  const closed = one.close(5_000);
  t.equal(await last, 'finished');
  await closed;
  await t.rejects(ask(one, BACKEND), { code: 'SERVICE_UNAVAILABLE' });
});
