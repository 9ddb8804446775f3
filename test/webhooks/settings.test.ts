import { pino } from 'pino';
import { test, type Test } from 'tap';
import { ownedDatabase } from '../boot/owned-database.ts';
import { createDatabase } from '../harness/database.ts';
import { openService, provisionOnly } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { createHooked, createReceiver, hook, hooksFile, ORDERS } from './receiver.ts';

const setup = `${ORDERS}
  create view shown with (security_invoker) as select * from orders;
  create table keyless (a integer);
  create schema shop;
  create table shop."Odd name" (id integer primary key);`;

async function started(t: Test) {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(setup).simple();
  /** The problems that stop the start; none where it starts. */
  const problems = async (webhooks: object[], env: Record<string, string> = {}): Promise<string[]> => {
    try {
      await (await openService(url, { ...hooksFile(t, webhooks), ...env })).close();
      return [];
    } catch (error) {
      return (error as Error).message.split('\n').map(line => line.replace(' of the settings file', ''));
    }
  };
  return { url, sql, problems };
}

test('every problem of every webhook stops the start, all of them named at once', async t => {
  const { problems, sql } = await started(t);
  t.same(await problems([
    hook('https://example.org', { secret: 'x', headers: { a: 'b' }, columns: ['name'], ordered: true }),
    hook('no url', { table: 'nope', events: ['INSERT', 'UPSERT'], secret: { env: 'NO_SUCH_SECRET' } }),
    hook('ftp://example.org/x', { id: 'second', columns: ['name', 'nmae'], excludeColumns: ['sercet'] }),
    hook('https://ada:pass@example.org', { id: 'third', table: 'shown', secret: 'whsec_no Base64!' }),
    hook('https://example.org', {
      id: 'fourth', table: 'keyless', ordered: true, headers: { 'a b': 'c', 'd': 'e\r\nf', 'Content-Length': '0' },
    }),
    hook('https://example.org', { id: 'fifth', table: 'service.users', secret: ['whsec_YQ==', 'whsec_'] }),
    hook('https://example.org', { id: 'sixth', columns: ['secret'], excludeColumns: ['secret'] }),
    hook('https://example.org', { id: '' }),
  ]), [
    'webhooks[1].url: must be an absolute http or https URL.',
    'webhooks[1].secret.env: the variable NO_SUCH_SECRET is not set.',
    'webhooks[1].events[1]: there is no event UPSERT; there are INSERT, UPDATE, DELETE.',
    'webhooks[2].url: must be an absolute http or https URL.',
    'webhooks[3].url: must have no user name and no password; headers may have an authorization.',
    'webhooks[3].secret: begins with whsec_, so the rest must be Base64.',
    'webhooks[4].headers.a b: is no name of a header.',
    'webhooks[4].headers.d: has a character that no header may have.',
    'webhooks[4].headers.Content-Length: is a header that the service sets itself.',
    'webhooks[5].secret[1]: begins with whsec_, so the rest must be Base64.',
    'webhooks[7].id: must not be empty.',
    'webhooks[1].id: another webhook has the id orders.',
    'webhooks[1].table: there is no table public.nope.',
    'webhooks[2].columns[1]: there is no column nmae in public.orders.',
    'webhooks[2].excludeColumns[0]: there is no column sercet in public.orders.',
    'webhooks[3].table: public.shown is no table, so it has no triggers that tell of its rows.',
    'webhooks[4].ordered: public.keyless has no primary key, so there is no order of a row.',
    'webhooks[5].table: service.users is not a table of the project.',
    'webhooks[6].columns[0]: the column secret of public.orders is excluded, so its changes are not told.',
  ]);
  t.same([...await sql`select from service.webhooks`], [], 'and nothing changes');
});

test('a disabled webhook needs no variable of those that events are sent with', async t => {
  const { problems } = await started(t);
  const lacking = hook('', {
    url: { env: 'NO_SUCH_URL' }, secret: [{ env: 'NO_SUCH_SECRET' }], headers: { authorization: { env: 'NO_SUCH_TOKEN' } },
  });
  t.same(await problems([{ ...lacking, enabled: false }]), []);
  t.same(await problems([lacking]), [
    'webhooks[0].url.env: the variable NO_SUCH_URL is not set.', 'webhooks[0].secret[0].env: the variable NO_SUCH_SECRET is not set.',
    'webhooks[0].headers.authorization.env: the variable NO_SUCH_TOKEN is not set.',
  ]);
});

test('the form of each key is checked', async t => {
  const { problems } = await started(t);
  const wrong = async (more: object) =>
    (await problems([hook('https://example.org', more)])).map(line => line.replace('rowgate.json: ', ''));
  t.same(await wrong({ maxAttempts: 0 }), ['webhooks[0].maxAttempts: must be >= 1']);
  t.same(await wrong({ events: [] }), ['webhooks[0].events: must not be empty']);
  t.same(await wrong({ secret: 7 }), ['webhooks[0].secret: must be a text, {"env": …}, or a list of these']);
  t.same(await wrong({ url: { variable: 'X' } }), ['webhooks[0].url: must be a text, or {"env": …}']);
  t.same(await wrong({ event: [] }), ['webhooks[0].event: unknown key. Did you mean events?']);
  t.same(await wrong({ enabled: 'no' }), ['webhooks[0].enabled: must be a boolean']);
  t.same(await problems([{ id: 'a' }]), ['url', 'events', 'table'].map(key => `rowgate.json: webhooks[0]: lacks ${key}`));
});

test('every text may come from a variable, and a name may need quotes', async t => {
  const { problems, sql } = await started(t);
  const env = (name: string) => ({ env: name });
  t.same(await problems([{
    id: env('ID'), url: env('URL'), secret: [env('SECRET'), 'whsec_c2VjcmV0'], headers: { env: env('HEADER') }, events: [env('EVENT')],
    table: env('TABLE'), columns: [env('COLUMN')],
  }], {
    ID: 'mine', URL: 'https://example.org', SECRET: 'whsec_c2VjcmV0', HEADER: 'x', EVENT: 'UPDATE', TABLE: 'shop."Odd name"', COLUMN: 'id',
  }), []);
  t.match(await sql`select id, events, columns, relation::text, key from service.webhooks`,
    [{ id: 'mine', events: ['UPDATE'], columns: ['id'], relation: 'shop."Odd name"', key: ['id'] }]);
});

test('secrets, headers and addresses stand in no table, no log, and no error', async t => {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => { lines.push(line); } });
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(ORDERS).simple();
  const SECRETS = ['hush-hush-hush', 'whsec_aHVzaC1odXNo', 'Bearer of-bad-news', 'in-the-address'];
  const [secret, other, token, path] = SECRETS;
  /** As some receivers do, one sends back what it was sent. */
  const echo = await createReceiver(t, (answer, { headers }, number) => {
    answer.writeHead(number === 1 ? 500 : 200).end(JSON.stringify(headers));
  });
  const webhooks = [
    hook(`${echo.url}/${path ?? ''}`, { secret: [{ env: 'SECRET' }, other], headers: { authorization: token }, maxAttempts: 1 }),
    hook(`http://127.0.0.1:1/${path ?? ''}`, { id: 'away', secret, headers: { authorization: token }, maxAttempts: 1 }),
    hook(`http://10.0.0.1/${path ?? ''}`, { id: 'private', secret, allowPrivateNetworks: false }),
  ];
  const service = await openService(url, { ...hooksFile(t, webhooks), SECRET: secret ?? '' }, undefined, log);
  t.teardown(service.close);
  await sql`insert into orders (id) values (1), (2)`;
  await until('the jobs are over', async () => (await sql`select from service.jobs where status in ('pending', 'running')`).length === 0);
  await service.request('/data/orders');
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'service'`;
  const contents = JSON.stringify(await Promise.all(tables.map(({ name }) => sql.unsafe(`select to_json(t)::text from ${name} t`))));
  t.match(contents, /authorization/, 'the echo was kept');
  t.match(lines.join(''), /a job failed for good/);
  for (const hidden of SECRETS) {
    t.notOk(contents.includes(hidden), `${hidden} in a table`);
    t.notOk(lines.join('').includes(hidden), `${hidden} in the log`);
  }
  const refused = await openService(url, hooksFile(t, [hook('what-is-it://in-the-address', { secret: 'whsec_?hush-hush-hush' })]))
    .then(() => '', (error: unknown) => String(error));
  t.match(refused, /webhooks\[0\]\.url/);
  for (const hidden of SECRETS) t.notOk(refused.includes(hidden), `${hidden} in an error`);
});

test('a trigger that may not be made is printed, with the SQL that makes it', async t => {
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(ORDERS).simple();
  const env = hooksFile(t, [hook('https://example.org')]);
  await provisionOnly(url, hooksFile(t, []));
  const lines = await provisionOnly(url, { ...env, SERVICE_MIGRATE_ON_BOOT: 'none' });
  const printed = lines.map(({ msg }) => msg).find(msg => msg.includes('_950_webhook')) ?? '';
  t.match(printed, /^public\.orders tells its webhooks of no change: this start may change nothing \(SERVICE_MIGRATE_ON_BOOT\)\./);
  await sql.unsafe(printed.slice(printed.indexOf('\n')));
  t.same((await provisionOnly(url, { ...env, SERVICE_MIGRATE_ON_BOOT: 'none' })).filter(({ msg }) => msg.includes('_950_webhook')), []);
  await sql`alter table orders disable trigger _950_webhook`;
  t.ok((await provisionOnly(url, env)).some(({ msg }) =>
    msg.startsWith('public.orders tells its webhooks of no change: its trigger is disabled. What its owner can do:\nalter table')));
  await provisionOnly(url, hooksFile(t, []));
  t.same([...await sql`select from pg_trigger where tgname = '_950_webhook'`], [], 'none is left where no webhook is');
});

test('a table of another owner gets its trigger by the SQL that is printed, or where the right is granted', async t => {
  const { url, owner, admin } = await ownedDatabase(t, 'createrole', `
    grant service_user to OWNER with admin option; create schema other; grant usage on schema other to OWNER;
    create table other.orders (id bigint primary key); create table other.notes (id bigint primary key)`);
  const receiver = await createReceiver(t);
  const hooks = hooksFile(t, ['orders', 'notes'].map(id => hook(receiver.url, { id, table: `other.${id}` })));
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => { lines.push((JSON.parse(line) as { msg: string }).msg); } });
  await (await openService(url, hooks, undefined, log)).close();
  const [notes = '', orders = ''] = lines.filter(line => line.includes('_950_webhook'));
  for (const [name, printed] of Object.entries({ notes, orders })) {
    const told = `other.${name} tells its webhooks of no change: permission denied for table ${name}. What its owner can do:\n`;
    t.ok(printed.startsWith(told), printed);
  }
  await admin.unsafe(orders.slice(orders.indexOf('\n')));
  await admin.unsafe(`grant trigger on other.notes to ${owner}`);
  lines.length = 0;
  const service = await openService(url, hooks, undefined, log);
  t.teardown(service.close);
  t.same(lines.filter(line => line.includes('_950_webhook')), []);
  await admin`insert into other.orders values (1)`;
  await admin`insert into other.notes values (2)`;
  const events = await receiver.wait(2);
  t.same(events.map(({ body }) => (JSON.parse(body) as { table: string }).table).sort(), ['notes', 'orders']);
});

test('a table that is busy is tried again', async t => {
  const receiver = await createReceiver(t);
  const { url, sql } = await createDatabase(t, { template: 'served' });
  await sql.unsafe(ORDERS).simple();
  const { promise: locked, resolve: release } = Promise.withResolvers<undefined>();
  const { promise: holding, resolve: held } = Promise.withResolvers<undefined>();
  const writer = sql.begin(async transaction => {
    await transaction`lock table orders in share mode`;
    held(undefined);
    await locked;
  });
  await holding;
  const service = await openService(url, hooksFile(t, [hook(receiver.url)]));
  t.teardown(service.close);
  t.same([...await sql`select from pg_trigger where tgname = '_950_webhook'`], []);
  release(undefined);
  await writer;
  await service.database.catalog.refresh();
  await sql`insert into orders values (1)`;
  await receiver.wait(1);
});

test('those of the last start stand, and a start without them is told apart', async t => {
  const { sql } = await createHooked(t, [hook('https://example.org', { secret: 'hush', events: ['INSERT'] })]);
  const [report] = await sql`select service.settings_report() -> 'settings' -> 'webhooks' as webhooks`;
  t.same(report?.['webhooks'], [{ id: 'orders', table: 'orders', events: ['INSERT'], ordered: false, maxAttempts: 3, enabled: true }]);
  const others = async (webhooks: object[]) =>
    sql`select subjects from service_private.other_gateways(${JSON.stringify({ webhooks })}::text::jsonb)`;
  t.same([...await others(report?.['webhooks'] as object[])], []);
  t.match(await others([]), [{ subjects: ['webhooks'] }]);
});
