/** The cost of a credential in a read, and the rate that others keep while clients try passwords or sign in at a dead issuer. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { load, type Ask } from './load/load.ts';
import { measureRounds, median, type Rounds } from './measure.ts';
import { memory, sharedMemory } from './processes.ts';
import { number, type Table } from './report.ts';
import { SERVICE_KEY, start, type Running } from './servers.ts';

const READ: Ask = { method: 'GET', path: '/api/data/posts/#', body: '' };
const OWN_ACCOUNT: Ask = { method: 'GET', path: '/api/auth/me', body: '' };
const CONNECTIONS = 16;
/** Clients that try passwords, or sign in at a dead issuer, each from an address of its own. */
const ATTACKERS = 32;

export async function credentials(server: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const gateway = await start('rowgate', url);
  const bearer = (credential: string): Running => ({ ...gateway, headers: { ...gateway.headers, authorization: `Bearer ${credential}` } });
  const serviceKey = bearer(SERVICE_KEY);
  const entries = { 'service key': serviceKey, 'access token': gateway, 'API key': bearer((await makeKey(serviceKey)).key) };
  try {
    const measured = await measureRounds(server, new Map(Object.entries(entries).map(([name, of]) =>
      [name, { server: of, ask: READ, connections: CONNECTIONS }])), rounds);
    const first = measured.get('service key') ?? [];
    return {
      header: ['credential of a get', 'requests/s', 'of the service key\'s'],
      rows: [...measured].map(([name, figures]) => [name, number(median(figures.map(({ rate }) => rate))),
        number(median(figures.map(({ rate }, round) => rate / (first[round]?.rate ?? NaN))))]),
    };
  } finally {
    await gateway.stop();
  }
}

export async function flood(_server: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const gateway = await start('rowgate', url, { env: { TRUSTED_PROXY_HOPS: '1' } });
  try {
    const { alone, beside, kept, answered } = await compare(gateway, READ, rounds, () => attackers(gateway));
    return {
      header: ['gets alone', `beside ${ATTACKERS} who try passwords`, 'kept', 'tries/s', 'resident memory after', 'what is shared once'],
      rows: [[`${number(alone)}/s`, `${number(beside)}/s`, number(kept), number(answered),
        `${number(memory(gateway.pid))} MiB`,
        `${number(sharedMemory(gateway.pid))} MiB`]],
    };
  } finally {
    await gateway.stop();
  }
}

export async function issuer(_server: Embedded, url: string, rounds: Rounds): Promise<Table> {
  const dead = await silentIssuer();
  const env = { TRUSTED_PROXY_HOPS: '1', SERVICE_OIDC_ACME_ISSUER: dead.url, SERVICE_OIDC_ACME_CLIENT_ID: 'bench' };
  const gateway = await start('rowgate', url, { env });
  const rows: string[][] = [];
  try {
    for (const [name, ask] of Object.entries({ 'get by id': READ, 'own account': OWN_ACCOUNT })) {
      const open: number[] = [];
      const { alone, beside, kept, answered } = await compare(gateway, ask, rounds, () => {
        const signingIn = clients(gateway, '/api/auth/acme', { code: 'x', redirectUri: 'https://app.example/back' });
        return { stop: () => (open.push(dead.open()), signingIn.stop()) };
      });
      rows.push([name, `${number(alone)}/s`, `${number(beside)}/s`, number(kept), number(median(open)), number(answered)]);
    }
  } finally {
    await gateway.stop();
    dead.stop();
  }
  return { header: ['', 'alone', `beside ${ATTACKERS} sign-ins`, 'kept', 'of these open at the issuer', 'refused/s'], rows };
}

/** Medians of rounds that alternate: requests a second alone, and while others are at work. `answered`: a second, of theirs. */
async function compare(gateway: Running, ask: Ask, { rounds, seconds }: Rounds, begin: () => { stop: () => Promise<number> }) {
  await rate(gateway, ask, 3);
  const [quiet, beside, answered]: [number[], number[], number[]] = [[], [], []];
  const without = async () => quiet.push(await rate(gateway, ask, seconds));
  const within = async () => {
    const others = begin();
    await setTimeout(500);
    beside.push(await rate(gateway, ask, seconds));
    answered.push(await others.stop());
  };
  for (let round = 0; round < rounds; round++) {
    for (const measured of round % 2 === 0 ? [without, within] : [within, without]) await measured();
  }
  const kept = median(beside.map((rate, round) => rate / (quiet[round] ?? NaN)));
  return { alone: median(quiet), beside: median(beside), kept, answered: median(answered) };
}

async function rate(gateway: Running, ask: Ask, seconds: number): Promise<number> {
  const done = await load(gateway, ask, { connections: CONNECTIONS, seconds });
  return done.requests / done.seconds;
}

function attackers(gateway: Running): { stop: () => Promise<number> } {
  return clients(gateway, '/api/auth/login', { email: 'bench@example.org', password: 'a guess' });
}

/** ATTACKERS that ask one after another, each time from another address. Requests a second that were refused, until they are stopped. */
function clients({ url }: Running, path: string, body: object): { stop: () => Promise<number> } {
  const over = new AbortController();
  const begun = performance.now();
  let answered = 0;
  const all = Promise.all(Array.from({ length: ATTACKERS }, async () => {
    while (!over.signal.aborted) {
      const address = Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 250)).join('.');
      const response = await fetch(`${url}${path}`, {
        method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': address }, body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      if (response.status === 401) answered += 1;
    }
  }));
  return {
    async stop() {
      over.abort();
      await all;
      return answered / ((performance.now() - begun) / 1000);
    },
  };
}

/** Tells its addresses, and takes codes without an answer. `open`: how many it has now. */
async function silentIssuer() {
  const held = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      held.add(response);
      response.on('close', () => held.delete(response));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({
      issuer: url, authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys`,
      response_types_supported: ['code'], subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['RS256'],
    }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, open: () => held.size, stop: () => { server.closeAllConnections(); server.close(); } };
}

export async function makeKey({ url, headers }: Running): Promise<{ id: string; key: string }> {
  const response = await fetch(`${url}/api/admin/api-keys`,
    { method: 'POST', headers, body: JSON.stringify({ name: 'bench', scopes: ['data:read:posts'] }) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json() as { key: { id: string; key: string } }).key;
}
