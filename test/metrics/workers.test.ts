import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { test, type Test } from 'tap';
import { childrenOf } from '../harness/children.ts';
import { generator, runs, seed } from '../harness/effort.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { scaled, until } from '../harness/until.ts';
import { startService, type Service } from '../workers/service.ts';
import { samplesOf, sumOf, type Samples } from './exposition.ts';

/** A request, and the labels that it is counted under besides its status. */
type Kind = { method: string; path: string; body?: string; surface: string; collection?: string };

const KINDS: Kind[] = [
  { method: 'GET', path: '/api/data/products/7', surface: 'data', collection: 'products' },
  { method: 'GET', path: '/api/data/products/-1', surface: 'data', collection: 'products' },
  { method: 'HEAD', path: '/api/data/products?limit=2', surface: 'data', collection: 'products' },
  { method: 'GET', path: '/api/data/orders/1/customer', surface: 'data', collection: 'orders' },
  { method: 'GET', path: '/api/data/tags/count', surface: 'data', collection: 'tags' },
  { method: 'GET', path: '/api/data/tags?limit=none', surface: 'data', collection: 'tags' },
  { method: 'POST', path: '/api/data/tags', body: '{"nothing":1}', surface: 'data', collection: 'tags' },
  { method: 'GET', path: '/api/data/nothing', surface: 'data' },
  { method: 'POST', path: '/api/auth/login', body: '{"email":"a@b.example","password":"Wrong-guess-1"}', surface: 'auth' },
  { method: 'GET', path: '/api/admin/users?limit=1', surface: 'admin' },
  { method: 'GET', path: '/api/meta/schema-version', surface: 'meta' },
  { method: 'GET', path: '/api/storage/metadata/none', surface: 'storage' },
  { method: 'GET', path: '/api/functions/none', surface: 'functions' },
  { method: 'GET', path: '/livez', surface: 'other' },
  { method: 'PURGE', path: '/anything', surface: 'other' },
];
const SCRAPE: Kind = { method: 'GET', path: '/metrics', surface: 'other' };

/** How many random requests. */
const REQUESTS = Math.max(2000, runs(10_000));

/** Asks, and counts each answer as the service should. `scraped`: the worker that answered the last scrape. */
function client({ port }: Service) {
  const expected = new Map<string, number>();
  const workers = new Set<string | undefined>();
  let last: string | undefined;

  return { expected, workers, ask, bothAnswer, scrape, random, scraped: () => last };

  /** A worker that has begun does not listen at once. */
  function bothAnswer(): Promise<boolean> {
    workers.clear();
    return until('both answer', async () => {
      await ask({ method: 'GET', path: '/livez', surface: 'other' });
      return workers.size === 2;
    });
  }

  async function ask(kind: Kind): Promise<string> {
    const { status, worker, text } = await send(port, kind);
    const { method, surface, collection } = kind;
    const labels = { surface, method: method === 'PURGE' ? '(other)' : method, status, ...(collection !== undefined && { collection }) };
    const key = `{${Object.entries(labels).map(([name, value]) => `${name}="${value}"`).join(',')}}`;
    expected.set(key, (expected.get(key) ?? 0) + 1);
    workers.add(worker);
    if (kind === SCRAPE) last = worker;
    return text;
  }

  async function scrape(): Promise<Samples> {
    return samplesOf(await ask(SCRAPE));
  }

  /** So many at random, eight at a time. A connection that a killed worker had breaks: its request may be counted or not. */
  async function random(count: number, below: (n: number) => number): Promise<void> {
    let left = count;
    await Promise.all(Array.from({ length: 8 }, async () => {
      while (left-- > 0) await ask(KINDS[below(KINDS.length)] as Kind).catch(() => undefined);
    }));
  }
}

/** On a connection of its own, since it is connections that are shared out. */
function send(port: string, { method, path, body }: Kind): Promise<{ status: number; worker: string | undefined; text: string }> {
  const headers = {
    'authorization': `Bearer ${SERVICE_KEY}`,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false });
    sent.on('error', reject).on('response', response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => { text += part; }).on('error', reject);
      response.on('end',
        () => resolve({ status: response.statusCode ?? 0, worker: response.headers['x-rowgate-worker'] as string | undefined, text }));
    });
    sent.end(body);
  });
}

/** The counts of all requests, by their labels. */
function counted(samples: Samples): Map<string, number> {
  const name = 'service_requests_total';
  return new Map([...samples].filter(([series]) => series.startsWith(name)).map(([series, count]) => [series.slice(name.length), count]));
}

/** The samples that only grow. */
function counters(samples: Samples): Samples {
  return new Map([...samples].filter(([series]) => /_(?:total|bucket|sum|count)(?:\{|$)/.test(series)));
}

function fallen(before: Samples, after: Samples): string[] {
  return [...counters(before)].filter(([series, value]) => (after.get(series) ?? -1) < value).map(([series]) => series);
}

function residentBytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

/** Both, once both run: after a start in the order of their numbers. */
function workersOf({ gateway }: Service, without?: number): Promise<[number, number]> {
  return until('two workers run', () => {
    const found = childrenOf(gateway.process, 'worker');
    return found.length === 2 && !found.includes(without ?? 0) && found as [number, number];
  });
}

const sorted = (counts: Map<string, number>) => [...counts].toSorted(([a], [b]) => a < b ? -1 : 1);

test(`one start is one service: random requests over workers are counted as the model counts them (RANDOM_SEED=${seed})`, async t => {
  const service = await startService(t, { SERVICE_METRICS: 'true', SERVICE_DATA_RATE_LIMIT: '' });
  const below = generator(seed);
  const { bothAnswer, scrape, scraped, random, expected, workers } = client(service);
  /** A scrape that tells the model's counts, itself not among them. */
  const exact = async (t: Pick<Test, 'same'>) => {
    const model = sorted(expected);
    const samples = await scrape();
    t.same(sorted(counted(samples)), model);
    return samples;
  };

  await random(REQUESTS / 2, below);
  t.equal(workers.size, 2, 'both have answered some');
  const first = await exact(t);
  t.equal(sumOf(first, 'service_request_duration_ms_count'), sumOf(first, 'service_requests_total'));
  t.equal(sumOf(first, 'service_request_duration_ms_bucket', { le: '+Inf' }), sumOf(first, 'service_requests_total'));

  await t.test('one worker is killed: nothing of what it had counted is lost', async t => {
    // The one that answered the scrape has counted that since.
    const [one, two] = await workersOf(service);
    const [killed, spared] = scraped() === '1' ? [two, one] : [one, two];
    process.kill(killed, 'SIGKILL');
    t.ok((await workersOf(service, killed)).includes(spared));
    await bothAnswer();
    const second = await exact(t);
    t.same(fallen(first, second), []);
    await random(REQUESTS / 2, below);
    t.same(fallen(second, await exact(t)), []);
  });

  await t.test('one ends in order: its last counts are there', async t => {
    const [ended] = await workersOf(service);
    await random(50, below);
    process.kill(ended, 'SIGTERM');
    await workersOf(service, ended);
    await exact(t);
  });

  await t.test('one is killed under load: no counter falls, whichever worker is asked', async t => {
    await bothAnswer();
    const load = random(200, below);
    const seen = [await scrape()];
    const [, killed] = await workersOf(service);
    process.kill(killed, 'SIGKILL');
    for (let n = 0; n < 20; n++) seen.push(await scrape().catch(() => seen.at(-1) as Samples));
    await load;
    seen.push(await scrape());
    for (const [i, samples] of seen.slice(1).entries()) t.same(fallen(seen[i] as Samples, samples), []);
  });

  await t.test('one hangs: the others tell without it', async t => {
    await bothAnswer();
    const before = await scrape();
    const [stopped] = await workersOf(service);
    process.kill(stopped, 'SIGSTOP');
    const samples = await until('the other answers', () => Promise.race([scrape(), setTimeout(scaled(2_000), undefined)]));
    process.kill(stopped, 'SIGCONT');
    t.same(fallen(before, samples), []);
    t.ok(sumOf(samples, 'service_process_rss_bytes') > 0);
  });
});

test('memory, CPU time and connections are those of all processes', async t => {
  const service = await startService(t, { SERVICE_METRICS: 'true', DB_POOL_MAX: '20' });
  const { scrape } = client(service);
  const samples = await scrape();
  const pids = [service.gateway.process.pid ?? 0, ...await workersOf(service)];
  const held = pids.map(residentBytes);
  const all = held.reduce((sum, bytes) => sum + bytes);
  const told = sumOf(samples, 'service_process_rss_bytes');
  t.ok(told > all - Math.min(...held) && told < all + Math.min(...held), `${told} of ${all} bytes`);
  t.ok(sumOf(samples, 'service_process_cpu_seconds_total') > 0);
  t.equal(sumOf(samples, 'service_lane_connections_limit') % 2, 0, 'two workers have the same lanes');
});
