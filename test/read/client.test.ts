// The check that every `get` of these tests makes must fail when one of the three differs: what the API answers, what
// psql answers, and the statement of both.
import { isDeepStrictEqual } from 'node:util';
import { test } from 'tap';
import { createService, type TestService } from '../harness/service.ts';
import { client, open, serviceKey } from './client.ts';

const SETUP = `
  create table note (id integer primary key, size integer);
  insert into note values (1, 1), (2, 2), (3, 3);
  ${open('note')}`;

type Fault = { what: string; made: (service: TestService) => unknown; caught: string[] };

const FAULTS: Fault[] = [
  {
    what: 'psql answers something else',
    made: ({ sql }) => sql.unsafe(insteadOf('run(json, jsonb, text)',
      'run(request json, claims jsonb, prefix text default \'\') returns setof text',
      'select replace(r, \'"size"\', \'"width"\') from service_private.run_before(request, claims, prefix) r')).simple(),
    caught: ['service_private.run'],
  },
  {
    what: 'psql takes a request for another',
    made: ({ sql }) => sql.unsafe(insteadOf('hoist(json)', 'hoist(request json, out shape jsonb, out parameters text[])',
      'select replace(h.shape::text, \'">"\', \'"<"\')::jsonb, h.parameters from service_private.hoist_before(request) h')).simple(),
    caught: ['service_private.hoist'], // service_private.run is bound to the one of before
  },
  {
    what: 'each compilation makes another statement',
    made: ({ sql }) => sql.unsafe(insteadOf('compile(jsonb, text[])',
      `compile(shape jsonb, roles text[],
        out statement text, out lane text, out enter_first boolean, out revalidates boolean, out before text)`,
      `select c.statement || ' -- ' || clock_timestamp(), c.lane, c.enter_first, c.revalidates, c.before
        from service.compile_before(shape, roles) c`)).simple(),
    caught: ['service.compile'],
  },
  {
    what: 'the gateway runs a statement that psql does not run',
    made({ database: { catalog: { current: { statements } } } }) {
      const { find } = statements;
      statements.find = async (shape, roles) => {
        const found = await find(shape, roles);
        return { ...found, text: `${found.text} -- of its own` };
      };
    },
    caught: ['service.compile'],
  },
  {
    what: 'the gateway answers something else',
    made(service) {
      const { request } = service;
      service.request = (path, options) => request(path.replace('gt.1', 'gt.2'), options);
    },
    caught: ['service_private.run'],
  },
];

function insteadOf(signature: string, definition: string, body: string): string {
  const name = signature.replace(/\(.*/, '');
  const schema = name === 'compile' ? 'service' : 'service_private';
  return `
    alter function ${schema}.${signature} rename to ${name}_before;
    create function ${schema}.${definition} language sql as $$ ${body} $$`;
}

/** As JSON has it: without prototypes. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The first words of the comparisons that fail. */
async function failures(service: TestService, path: string): Promise<string[]> {
  const failed: string[] = [];
  const compare: any = (found: unknown, wanted: unknown, message: string) => {
    if (!isDeepStrictEqual(plain(found), plain(wanted))) failed.push(message.split(' ', 1)[0] ?? '');
  };
  await client({ equal: compare, same: compare }, service, serviceKey, () => true).get(path);
  return failed;
}

for (const { what, made, caught } of FAULTS) {
  test(`noticed: ${what}`, async t => {
    const service = await createService(t, { template: 'served', setup: SETUP });
    await service.request('/data/note?size=gt.1&orderBy=id'); // the gateway has its statement
    t.same(await failures(service, 'note?size=gt.1'), []);
    await made(service);
    t.same(await failures(service, 'note?size=gt.1&orderBy=id'), caught);
  });
}
