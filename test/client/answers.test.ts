// Random queries: each answer, written as a literal, satisfies the type that the compiler computes for its query.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test, type Test } from 'tap';
import { createClient, type Client, type Facts } from '../../client/src/index.ts';
import { typesFile, type Contract } from '../../gateway/features/meta/types/file.ts';
import { generator, seed } from '../harness/effort.ts';
import { lendService } from '../harness/lend.ts';
import { createService, SERVICE_KEY, tokenFor, type TestService } from '../harness/service.ts';
import { fixturesAvailable, serveFixtures } from './postgrest.ts';
import { fill, RAILWAY } from './railway.ts';
import { meetTypes } from './random-queries.ts';
import { schema } from './store.types.ts';

const QUERIES = 1_000;

async function contractOf({ sql }: TestService): Promise<Contract> {
  const [row] = await sql<{ contract: Contract }[]>`select service.contract() as contract`;
  return row?.contract as Contract;
}

/** The facts that the types' file has for the client at run time. */
async function factsOf(t: Test, contract: Contract): Promise<Facts> {
  const file = join(t.testdir(), 'rowgate.types.ts');
  writeFileSync(file, typesFile(contract));
  const { schema } = await import(pathToFileURL(file).href) as { schema: Facts };
  return schema;
}

function clientOf({ address }: TestService, schema: Facts, token = SERVICE_KEY): Client<any> {
  return createClient({ url: address, schema, token, warn: () => undefined });
}

test(`the answers of random queries have the types that are computed for them (RANDOM_SEED=${seed})`, async t => {
  const service = await lendService(t, {});
  const staff = await tokenFor('ada', ['staff']);
  await service.account(staff);
  const clients = [SERVICE_KEY, SERVICE_KEY, staff].map(token => clientOf(service, schema, token));
  await meetTypes(t, await contractOf(service), clients, QUERIES);
});

test('those of tables with keys, references, views, types and names of every kind too', async t => {
  const service = await createService(t, { template: 'served', setup: RAILWAY });
  await fill(service.sql, generator(seed), 12);
  const contract = await contractOf(service);
  t.comment(contract.catalog.map(({ slug }) => slug).join());
  await meetTypes(t, contract, [clientOf(service, await factsOf(t, contract))], QUERIES);
});

test('those of the fixtures of PostgREST too', async t => {
  if (!fixturesAvailable) return t.comment('../shared/checks/postgrest is not there');
  const service = await serveFixtures(t);
  const contract = await contractOf(service);
  t.comment(contract.catalog.map(({ slug }) => slug).join());
  await meetTypes(t, contract, [clientOf(service, await factsOf(t, contract))], QUERIES);
});
