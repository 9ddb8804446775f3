// Answers that are not the service's, or not whole, to calls of every kind: each is refused as NETWORK, and none signs out.
import type { ServerResponse } from 'node:http';
import { test } from 'tap';
import {
  callFunction, createAuth, createClient, createFolder, fetchFile, fetchFunction, fileMetadata, listFactors, listFiles, listIdentities,
  memory, removeFile, RowgateError, uploadFile, type Auth, type Client, type SessionStorage,
} from '../../client/src/index.ts';
import { lendAccounts, OPEN } from '../accounts/people.ts';
import { lendService } from '../harness/lend.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { meddler } from './meddler.ts';
import { ADA } from './session/people.ts';
import { schema, type Schema } from './store.types.ts';

type Odd = {
  name: string; status: number; reason: string; answer: (response: ServerResponse, text: string) => void;
  /** Whether a function may have returned it. */
  isValue?: boolean;
};

const PAGE = '<!doctype html><html><title>Please sign in to the hotel</title></html>';
const answering = (name: string, status: number, type: string | undefined, body: string | ((text: string) => string)): Odd => ({
  name, status, reason: type?.includes('json') === true ? 'connection' : 'not JSON',
  answer: (response, text) => {
    response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(typeof body === 'string' ? body : body(text));
  },
});
const half = (text: string): string => text.slice(0, text.length / 2);

/** A body of JSON that cannot be one of the service is taken for one that ended early, as it can come of a lost connection. */
const ODD: Odd[] = [
  answering('a page of HTML', 200, 'text/html', PAGE),
  answering('a page of HTML, 502', 502, 'text/html', PAGE),
  answering('a page of HTML, 401', 401, 'text/html', PAGE),
  answering('a page of HTML that is said to be JSON', 200, 'application/json', PAGE),
  answering('half an answer', 200, 'application/json', half),
  answering('half an answer that is said to be text', 200, 'text/plain', half),
  answering('nothing', 200, undefined, ''),
  answering('nothing that is said to be JSON', 200, 'application/json; charset=utf-8', ''),
  ...['[]', '7', '"text"', 'true', 'null'].map((body): Odd =>
    ({ ...answering(`the JSON ${body}`, 200, 'application/json', body), isValue: true })),
  answering('another object, 500', 500, 'text/html', '{"message":"away"}'),
  {
    name: 'an answer that breaks off', status: 0, reason: 'connection',
    answer: (response, text) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length + 1 });
      response.write(`${half(text)} `, () => { response.destroy(); });
    },
  },
];

type Calls = Record<string, (db: Client<Schema>) => Promise<unknown>>;
const tag = { name: 'odd' };
const since = '2020-01-01';
const DATA: Calls = {
  list: db => db.from('tags').list(),
  each: async db => (await db.from('tags').each().next()).value,
  get: db => db.from('tags').get(1),
  count: db => db.from('tags').count(),
  aggregate: db => db.from('tags').aggregate({ select: ['count()'] }),
  related: db => db.from('tags').related(1, 'products').list(),
  history: db => db.from('tags').history(1),
  create: db => db.from('tags').create(tag),
  createMany: db => db.from('tags').createMany([tag]),
  upsert: db => db.from('tags').upsert({ id: 1, name: 'organic' }, { onConflict: ['id'] }),
  update: db => db.from('tags').update(1, { color: '#123456' }),
  remove: db => db.from('tags').remove(7),
  batch: db => db.batch(b => b.create('tags', tag)),
  uploadFile: db => uploadFile(db, 'odd.txt', new Blob(['odd'])),
  fileMetadata: db => fileMetadata(db, 'odd.txt'),
  listFiles: db => listFiles(db),
  createFolder: db => createFolder(db, 'odd'),
  removeFile: db => removeFile(db, 'odd.txt'),
};
const VALUES: Calls = { 'an SQL function': db => callFunction(db, 'best_sellers', { since }) };
/** Their answers are not read, and may be pages. */
const UNREAD: Calls = {
  fetchFile: db => fetchFile(db, 'odd.txt'),
  fetchFunction: db => fetchFunction(db, 'odd'),
};
const SIGN_IN: Record<string, (auth: Auth) => Promise<unknown>> = {
  login: auth => auth.login(ADA),
  anonymous: auth => auth.anonymous(),
  register: auth => auth.register({ ...ADA, email: 'bo@example.org' }),
};
const ACCOUNT: Record<string, (auth: Auth) => Promise<unknown>> = {
  me: auth => auth.me(),
  updateMe: auth => auth.updateMe({ displayName: 'Ada' }),
  sessions: auth => auth.sessions(),
  listFactors, listIdentities,
};

/** `NETWORK`, the status and the reason; the failure itself where it is another. */
async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return ['answered', await promise];
  } catch (error) {
    return error instanceof RowgateError && error.code === 'NETWORK' ? [error.code, error.status, error.details.reason] : error;
  }
}

test('odd answers to requests for data, files and functions are refused alike', async t => {
  const { address } = await lendService(t, { env: { STORAGE_PATH: t.testdir() } });
  let odd: Odd | undefined;
  const { url } = await meddler(t, address, (_, response, text) => {
    odd?.answer(response, text);
    return odd === undefined;
  }, ({ url = '' }) => !url.includes('/meta/'));
  const db = createClient<Schema>({ url, schema, token: SERVICE_KEY, warn: () => undefined, retries: 0 });
  for (odd of ODD) {
    const expected = ['NETWORK', odd.status, odd.reason];
    const calls = { ...DATA, ...!odd.isValue && VALUES, ...odd.status >= 400 && UNREAD };
    for (const [name, call] of Object.entries(calls)) t.same(await refusalOf(call(db)), expected, `${odd.name}: ${name}`);
  }
  odd = undefined;
  t.match(await DATA['uploadFile']?.(db), { key: 'odd.txt' }, 'and the next answer is taken');
  t.equal(await removeFile(db, 'odd.txt'), undefined, 'also one without a body');
});

test('odd answers to account routes are refused, and no session ends of them', async t => {
  const { address } = await lendAccounts(t, OPEN);
  const storage: SessionStorage = memory();
  const direct = createAuth({ url: address, storage });
  await direct.register(ADA);
  let odd: Odd | undefined;
  const { url } = await meddler(t, address, (_, response, text) => {
    odd?.answer(response, text);
    return odd === undefined;
  }, () => true);
  let clock = Date.now();
  // A refresh is tried for seconds: by this clock they have passed when the first try has failed.
  const auth = createAuth({ url, storage, now: () => clock += 5_000 });
  const visitor = createAuth({ url, storage: memory() });
  for (odd of ODD) {
    const expected = ['NETWORK', odd.status, odd.reason];
    const before = await direct.session();
    for (const [name, call] of Object.entries(SIGN_IN)) t.same(await refusalOf(call(visitor)), expected, `${odd.name}: ${name}`);
    for (const [name, call] of Object.entries(ACCOUNT)) t.same(await refusalOf(call(auth)), expected, `${odd.name}: ${name}`);
    t.same(await refusalOf(auth.refresh()), expected, `${odd.name}: refresh`);
    t.equal(await visitor.session(), undefined);
    t.same(await auth.session(), before, `${odd.name}: the session stays`);
    t.ok(await direct.refresh(), 'and is refreshed by the next answer');
  }
  for (const body of ['{}', '{"tokens":{}}', '{"user":{"uid":"a"},"tokens":{"accessToken":"a.b.c","accessTokenExpiresAt":1}}']) {
    odd = answering(body, 200, 'application/json', body);
    t.match(await refusalOf(visitor.login(ADA)), ['NETWORK'], `a sign-in that is answered ${body.replace(/[{}]/g, '')}`);
    t.match(await refusalOf(auth.refresh()), ['NETWORK']);
    t.ok(await direct.refresh());
  }
});
