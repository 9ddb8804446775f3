/** The cost of a credential in a read, and the rate that reads keep while others try passwords. */
import { setTimeout } from 'node:timers/promises';
import type { Embedded } from '../gateway/embedded/embedded.ts';
import { load, type Ask } from './load/load.ts';
import { measureRounds, median, type Rounds } from './measure.ts';
import { memory, sharedMemory } from './processes.ts';
import { number, type Table } from './report.ts';
import { SERVICE_KEY, start, type Running } from './servers.ts';

const READ: Ask = { method: 'GET', path: '/api/data/posts/#', body: '' };
const CONNECTIONS = 16;
/** Attackers that try passwords, each from an address of its own. */
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

export async function flood(_server: Embedded, url: string, { rounds, seconds }: Rounds): Promise<Table> {
  const gateway = await start('rowgate', url, { env: { TRUSTED_PROXY_HOPS: '1' } });
  try {
    await rate(gateway, 3);
    const [quiet, beside, tried]: [number[], number[], number[]] = [[], [], []];
    const without = async () => quiet.push(await rate(gateway, seconds));
    const within = async () => {
      const attack = attackers(gateway);
      await setTimeout(500);
      beside.push(await rate(gateway, seconds));
      tried.push(await attack.stop());
    };
    for (let round = 0; round < rounds; round++) {
      for (const measured of round % 2 === 0 ? [without, within] : [within, without]) await measured();
    }
    const kept = median(beside.map((rate, round) => rate / (quiet[round] ?? NaN)));
    return {
      header: ['gets alone', `beside ${ATTACKERS} who try passwords`, 'kept', 'tries/s', 'resident memory after', 'what is shared once'],
      rows: [[`${number(median(quiet))}/s`, `${number(median(beside))}/s`, number(kept), number(median(tried)),
        `${number(memory(gateway.pid))} MiB`,
        `${number(sharedMemory(gateway.pid))} MiB`]],
    };
  } finally {
    await gateway.stop();
  }
}

async function rate(gateway: Running, seconds: number): Promise<number> {
  const done = await load(gateway, READ, { connections: CONNECTIONS, seconds });
  return done.requests / done.seconds;
}

/** Tries a second that were answered, until they are stopped. */
function attackers({ url }: Running): { stop: () => Promise<number> } {
  const over = new AbortController();
  const begun = performance.now();
  let answered = 0;
  const all = Promise.all(Array.from({ length: ATTACKERS }, async () => {
    while (!over.signal.aborted) {
      const address = Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 250)).join('.');
      const response = await fetch(`${url}/api/auth/login`, {
        method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ email: 'bench@example.org', password: 'a guess' }),
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

export async function makeKey({ url, headers }: Running): Promise<{ id: string; key: string }> {
  const response = await fetch(`${url}/api/admin/api-keys`,
    { method: 'POST', headers, body: JSON.stringify({ name: 'bench', scopes: ['data:read:posts'] }) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json() as { key: { id: string; key: string } }).key;
}
