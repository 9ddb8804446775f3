import { test, type Test } from 'tap';
import { createDatabase } from '../harness/database.ts';
import { createService, openService, tokenFor, type Answer, type TestService } from '../harness/service.ts';

const TABLES = `
  create table notes (id integer primary key, owner text not null, body text);
  insert into notes select n, 'caller ' || n % 64, 'note ' || n from generate_series(1, 640) n;
  alter table notes enable row level security;
  create policy own on notes using (owner = (select service.uid()) or (select service.uid()) = 'service');
  create table texts (id text primary key, note_id integer references notes);
  insert into texts values ('a', 1), ('', 2), ('NULL', 3), ('{x,"y"}', 4), ('back\\slash', 5), (' blank ', null), ('é', 7);
  create table codes (id uuid primary key, n integer);
  insert into codes select ('00000000-0000-4000-8000-00000000000' || n)::uuid, n from generate_series(1, 5) n;
  create table pairs (a integer, b text, primary key (a, b));
  insert into pairs values (1, 'x'), (1, 'y:z'), (2, '50%');
  create table days (id date primary key);
  insert into days values ('2024-02-29');
  create table empty (id integer primary key, n integer, at date);
  create table hidden (id integer primary key, n integer, at date);
  insert into hidden values (1, 5, '2024-02-29');
  alter table empty enable row level security; create policy p on empty using (true);
  alter table hidden enable row level security;
  create policy p on hidden using (exists (select from notes m where m.id = hidden.id and m.body = 'never'));
  create function fussy_row(id integer) returns boolean language plpgsql immutable as $$
  begin
    if id = 13 then raise exception 'Row 13 is unlucky.'; end if;
    return true;
  end $$;
  create function slow_row() returns boolean language plpgsql stable as $$ begin perform pg_sleep(0.01); return true; end $$;
  create table fussy (id integer primary key);
  create table slow (id integer primary key);
  -- So many that each get goes by the index, which keeps the policy from other rows.
  insert into fussy select generate_series(1, 5000);
  analyze fussy;
  insert into slow select generate_series(1, 40);
  ${['texts', 'codes', 'pairs', 'days'].map(name =>
    `alter table ${name} enable row level security; create policy p on ${name} using (true);`).join('\n')}
  alter table fussy enable row level security; create policy p on fussy using (fussy_row(id));
  alter table slow enable row level security; create policy p on slow using (slow_row());`;

/** Paths of single rows: there, not there, and ids that no key of the type can have. */
const PATHS = [
  ...[1, 2, 3, 640, 641, 0, -1, '01', '%201', '1.0', 'x', '', '2147483647', '2147483648', '99999999999'].map(id => `notes/${id}`),
  ...['a', 'NULL', '{x,"y"}', 'back\\slash', ' blank ', 'é', 'none', '{', '\\', '"'].map(id => `texts/${encodeURIComponent(id)}`),
  ...['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-00000000000F', '00000000000040008000000000000002', 'none']
    .map(id => `codes/${id}`),
  ...['1:::x', '1:::y%253Az', '1:::y:z', '2:::50%2525', '1', '1:::', 'x:::y', '1:::x:::y'].map(id => `pairs/${id}`),
  ...['2024-02-29', '2024-02-30', 'today', 'x'].map(id => `days/${id}`),
  ...[
    'texts/a?include=note', 'texts/%20blank%20?include=note', 'notes/1/texts/a', 'notes/2/texts/a', 'notes/1?fields=id', 'notes/1?fields=x',
  ],
  ...[11, 12, 13, 14, 5001].map(id => `fussy/${id}`),
  // A value that is none of its type is refused whatever rows there are, seen or unseen.
  ...['empty', 'hidden'].flatMap(name => [
    ...['5', 'x', '1.5', '99999999999'].flatMap(n => ['', '/count', '/1', '/2'].map(path => `${name}${path}?n=eq.${n}`)),
    ...['x', '2024-02-30', '2024-02-29', '2023-02-29', '2024-12-31'].map(at => `${name}?at=eq.${at}`),
    ...['(1,x)', '(1,5)', '(5)'].flatMap(list => [`${name}?n=in.${list}`, `${name}/1?n=in.${list}`]), `${name}?n=gt.x`,
    `${name}?limit=1&offset=x`,
  ]),
  ...['1', '2', '3', 'x', '2147483648', ''].map(id => `notes?id=eq.${id}`),
  ...['caller 1', 'caller 2', 'none', '{"x",y}', "it's $6"].map(owner => `notes?owner=eq.${encodeURIComponent(owner)}&limit=3&orderBy=id`),
  ...[1, 2, 50].map(limit => `notes?limit=${limit}&orderBy=id`),
  ...[0, 5, 639, 640].map(offset => `notes?limit=2&offset=${offset}&orderBy=id`),
  ...['caller 1', 'caller 2', 'none'].map(owner => `notes/count?owner=eq.${encodeURIComponent(owner)}`),
  ...['1,2', '3', '', 'x'].map(ids => `notes?id=in.(${ids})&fields=id&orderBy=id`), 'notes?body=is.null', 'notes/1/texts', 'notes/2/texts',
  ...['a', 'NULL', '{x,"y"}', '"$6"'].map(id => `texts?id=eq.${encodeURIComponent(id)}&include=note`), 'pairs?a=eq.1', 'pairs?a=eq.2',
  ...['2024-02-29', '2024-02-30'].map(id => `days?id=eq.${id}`), 'days?id=gte.2024-01-01', 'fussy?id=eq.13', 'fussy?id=eq.14',
];

/** Without the reason of a refusal, which is left out while many ask. */
const seen = ({ status, body, headers }: Answer): unknown => {
  const kept = JSON.stringify(body, (key, value: unknown) => ['requestId', 'why'].includes(key) ? undefined : value);
  return { status, body: JSON.parse(kept) as unknown, tag: headers.get('etag') };
};

type Counts = { alone: number; coalesced: number; statements: number };

async function counts({ request }: TestService, path: string): Promise<Counts> {
  return (await request(`/data/${path}${path.includes('?') ? '&' : '?'}explain=true`)).body.coalescing as Counts;
}

const started = (t: Test, mode: string) => createService(t, { template: 'served', setup: TABLES, env: { SERVICE_COALESCE: mode } });

test('each get is answered as if it were alone', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(TABLES).simple();
  const modes = ['off', 'always', 'on'];
  const services = [];
  for (const mode of modes) {
    const service = await openService(url, { SERVICE_COALESCE: mode });
    t.teardown(service.close);
    services.push(service);
  }
  const answers: Answer[][] = [];
  for (const { request } of services) {
    await Promise.all(PATHS.map(path => request(`/data/${path}`)));
    answers.push(await Promise.all([...PATHS, ...PATHS].map(path => request(`/data/${path}`))));
  }
  const [off = [], ...others] = answers;
  for (const [mode, other] of others.entries()) {
    for (const [i, answer] of other.entries()) {
      t.same(seen(answer), seen(off[i] as Answer), `${modes[mode + 1] ?? ''}: ${PATHS[i % PATHS.length] ?? ''}`);
    }
  }
  const { request } = services[1] as TestService;
  const { headers } = await request('/data/notes/1');
  const tags = [headers.get('etag') ?? '', '*', '"another"', ''];
  const current = await Promise.all(tags.map(tag => request('/data/notes/1', { headers: { 'if-none-match': tag } })));
  t.same(current.map(({ status }) => status), [304, 304, 200, 200]);
});

test('gets of 64 callers at once: each sees its own rows and no other', async t => {
  for (const mode of ['always', 'on']) {
    const service = await started(t, mode);
    const tokens = await Promise.all(Array.from({ length: 64 }, (_, n) => tokenFor(`caller ${n}`)));
    const asked = Array.from({ length: 64 * 20 },
      (_, i) => ({ caller: i % 64, id: i % 2 === 0 ? 1 + (i * 7) % 640 : i % 64 + 64 * (i % 9 + 1) - 64 || 64 }));
    const answers = await Promise.all(asked.map(({ caller, id }) => service.request(`/data/notes/${id}`, { as: tokens[caller] ?? '' })));
    const wrong = asked.filter(({ caller, id }, i) => {
      const { status, body } = answers[i] as Answer;
      return id % 64 === caller ? status !== 200 || body.id !== id || body.owner !== `caller ${caller}` : status !== 404;
    });
    t.same(wrong, [], mode);
    t.same(answers.filter(({ status }) => ![200, 404].includes(status)).map(({ text }) => text), []);
    t.ok(answers.some(({ status }) => status === 200) && answers.some(({ status }) => status === 404));
    if (mode === 'always') t.ok((await counts(service, 'notes/1')).coalesced > 0, 'some were coalesced');
  }
});

test('a statement that fails fails for its own row alone', async t => {
  const service = await started(t, 'always');
  await service.request('/data/fussy/1');
  const ids = Array.from({ length: 30 }, (_, n) => n + 1);
  const answers = await Promise.all(ids.map(id => service.request(`/data/fussy/${id}`)));
  t.same(answers.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.error.code]), [[400, 'CALLBACK_REJECTED']]);
  t.match(answers[12], { status: 400, body: { error: { code: 'CALLBACK_REJECTED' } } });
  t.ok((await counts(service, 'fussy/1')).coalesced > 0);
});

test('gets of slow rows go one by one', async t => {
  const service = await started(t, 'on');
  const ask = () => Promise.all(Array.from({ length: 20 }, (_, n) => service.request(`/data/slow/${n + 1}`)));
  await ask();
  await ask();
  const before = await counts(service, 'slow/1');
  t.same(new Set((await ask()).map(({ status }) => status)), new Set([200]));
  const { alone, coalesced } = await counts(service, 'slow/1');
  t.same({ alone: alone - before.alone, coalesced: coalesced - before.coalesced }, { alone: 20, coalesced: 0 });
});

test('reads whose values want a plan of their own go one by one', async t => {
  const service = await createService(t, { template: 'served', env: { SERVICE_COALESCE: 'on' }, setup: `
    create table places (id integer primary key, data jsonb);
    insert into places select n, jsonb_build_object('country', 'c' || n % 3000) from generate_series(1, 60000) n;
    create index on places ((data ->> 'country'));
    alter table places enable row level security; create policy p on places using (true);
    analyze places;` });
  const path = (n: number) => `places/count?data-%3Ecountry=eq.c${n}`;
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => service.request(`/data/${path(round * 30 + n)}`)));
    t.same(new Set(answers.map(({ text }) => text)), new Set(['{"count":20}']));
  }
  const { alone, coalesced } = await counts(service, path(1));
  t.ok(coalesced < 100 && alone > 500, JSON.stringify({ alone, coalesced }));
});

test('a get after an acknowledged write reads it', async t => {
  const service = await started(t, 'always');
  const send = (id: number, body: string) =>
    service.request(`/data/notes/${id}`,
      { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ body }) });
  const noise = Array.from({ length: 20 }, async (_, n) => {
    for (let i = 0; i < 40; i++) await service.request(`/data/notes/${1 + (n * 40 + i) % 640}`);
  });
  const stale: string[] = [];
  await Promise.all(Array.from({ length: 16 }, async (_, n) => {
    for (let i = 0; i < 10; i++) {
      await send(n + 1, `write ${i}`);
      const { body } = await service.request(`/data/notes/${n + 1}`);
      if (body.body !== `write ${i}`) stale.push(`${n}: ${body.body as string} after write ${i}`);
    }
  }));
  await Promise.all(noise);
  t.same(stale, []);
});

test('switched off, no get is coalesced', async t => {
  const service = await started(t, 'off');
  await Promise.all(Array.from({ length: 100 }, (_, n) => service.request(`/data/notes/${n + 1}`)));
  t.match(await counts(service, 'notes/1'), { coalesced: 0, statements: 0 });
});
