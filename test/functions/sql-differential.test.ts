// A function that returns the rows of a table is read as the table is: with the same bytes.
import fc from 'fast-check';
import { test } from 'tap';
import { random } from '../harness/effort.ts';
import { createService, storeTables, tokenFor } from '../harness/service.ts';
import { query, serviceKey } from '../read/client.ts';
import { asks, type Ask } from '../read/differential/requests.ts';
import { narrowingOf, orderText, shownText } from '../read/differential/spelling.ts';
import { data, FIELDS, load, setup } from '../read/differential/world.ts';

/** As PostgreSQL expands it, as it is called once, and as it writes before its rows are read. */
const FORMS = {
  expanded: (table: string) => `language sql stable as 'select * from public.${table}'`,
  called: (table: string) => `language plpgsql stable as 'begin return query select * from public.${table}; end'`,
  written: (table: string) => `language plpgsql volatile as 'begin return query select * from public.${table}; end'`,
};

const functions = Object.keys(FIELDS).flatMap(table => Object.entries(FORMS).map(([form, body]) => `
  create function public.${form}_${table}() returns setof public.${table} ${body(table)};
  comment on function public.${form}_${table} is '@endpoint';`)).join('\n');

function parametersOf({ node, search, probe }: Ask): string[] {
  const limit = [`limit=${node.limit ?? 3}`];
  const window = probe.kind === 'window' ? [...limit, probe.page ? `page=${probe.at % 7 + 1}` : `offset=${probe.at}`]
    : probe.kind === 'distinct' ? [...limit, query({ distinct: 'true', fields: probe.fields.join(',') })]
    : limit;
  const order = probe.kind === 'distinct' ? [] : [...orderText(node.keys, node.spelling), ...shownText(node)];
  return [...narrowingOf({ node, search }), ...order, ...window].filter(part => part !== '');
}

test('random lists of a function equal those of its table', { timeout: 0 }, async t => {
  const service = await createService(t, { template: data.template, env: storeTables, setup: setup + functions });
  t.same(service.database.catalog.current.endpoints.refused, []);
  const world = await load(service, serviceKey);
  const callers = [undefined, await tokenFor('reader'), await tokenFor('boss', ['admin'])];
  const form = fc.constantFrom(...Object.keys(FORMS));
  const prefer = fc.constantFrom('', 'count=none', 'count=estimated');
  await fc.assert(fc.asyncProperty(asks(world), form, fc.nat(2), prefer, async (ask, form, who, prefer) => {
    const as = callers[who];
    const read = (path: string, method = 'GET') => service.request(path, { method, headers: { prefer }, ...(as !== undefined && { as }) });
    for (let after: string[] = [], turn = 0; turn < 3; turn++) {
      const text = [...parametersOf(ask), ...after].join('&');
      const [table, rows] = await Promise.all([
        read(`/data/${ask.collection}?${text}`), read(`/functions/${form}_${ask.collection}?${text}`, form === 'written' ? 'POST' : 'GET'),
      ]);
      if (table.text.replace(/"requestId":"[^"]*"/, '') !== rows.text.replace(/"requestId":"[^"]*"/, '')) {
        throw new Error(`${form}_${ask.collection}?${decodeURIComponent(text)}\n${table.text}\n${rows.text}`);
      }
      if (rows.headers.get('preference-applied') !== table.headers.get('preference-applied')) throw new Error('The headers differ.');
      const next = (table.body as { meta?: { nextCursor?: string } }).meta?.nextCursor;
      if (next === undefined || ask.probe.kind !== 'walk') break;
      after = [`after=${next}`];
    }
  }), random(1500));
  const [collection = ''] = Object.keys(FIELDS);
  for (const form of ['expanded', 'called']) {
    const next = async (path: string) => {
      const { body } = await service.request(`${path}?limit=1`);
      return (await service.request(`${path}?limit=1&after=${body.meta.nextCursor as string}`)).text;
    };
    t.equal(await next(`/functions/${form}_${collection}`), await next(`/data/${collection}`), 'a cursor is followed');
  }
});
