import { test } from 'tap';
import { createRecorder } from '../../gateway/features/metrics/record.ts';
import type { Method } from '../../gateway/http/route.ts';
import { exposition } from '../../gateway/metrics/exposition.ts';
import type { Figure } from '../../gateway/metrics/families.ts';
import { createReporter } from '../../gateway/metrics/report.ts';
import { RequestSets } from '../../gateway/metrics/request-sets.ts';
import { Totals } from '../../gateway/metrics/totals.ts';
import { samplesOf, sumOf } from './exposition.ts';

const set = (n: number) => ({ surface: 'data', method: 'GET', status: 200, collection: `c${n}` });

async function textOf(totals: Totals): Promise<string> {
  return Buffer.from(await exposition({ requests: totals.requests.copy(), figures: totals.figures })).toString();
}

/** A recorder below /api, and the text of what it recorded. */
function recording(slugs: () => ReadonlySet<string>, basePath = '/api') {
  const sets = new RequestSets();
  const record = createRecorder({ basePath, slugs }, sets);
  const end = (url: string, method = 'GET', status = 200) => {
    record({ method: method as Method, url }, status, 1);
  };
  return { end, labels: () => sets.copy().labels };
}

test('a request is counted in the first bucket whose bound it does not exceed', async t => {
  const totals = new Totals();
  const row = totals.requests.rowOf({ surface: 'other', method: 'GET', status: 200 });
  for (const milliseconds of [0, 5, 5.1, 10_000, 10_001]) totals.requests.record(row, milliseconds);
  const samples = samplesOf(await textOf(totals));
  const labels = 'surface="other",method="GET",status="200"';
  const bucket = (le: string) => samples.get(`service_request_duration_ms_bucket{${labels},le="${le}"}`);
  t.same(['5', '10', '5000', '10000', '+Inf'].map(bucket), [2, 3, 3, 4, 5]);
  t.equal(samples.get(`service_request_duration_ms_count{${labels}}`), 5);
  t.equal(samples.get(`service_request_duration_ms_sum{${labels}}`), 20_011.1);
  t.equal(samples.get(`service_requests_total{${labels}}`), 5);
});

test('the surface is the first segment below the base path, the collection one that is served', t => {
  const { end, labels } = recording(() => new Set(['posts', 'od"d/', 'émile']));
  const expected: [url: string, surface: string, collection?: string][] = [
    ['/api/data/posts', 'data', 'posts'], ['/api/data/posts/1/comments', 'data', 'posts'], ['/api/data/p%6Fsts', 'data', 'posts'],
    ['/api/data/od%22d%2F/7', 'data', 'od"d/'], ['/api/data/%C3%A9mile', 'data', 'émile'],
    ['/api/data/nothing', 'data'], ['/api/data/%zz', 'data'], ['/api/data', 'data'], ['/api/data/', 'data'], ['/api/data//posts', 'data'],
    ['/api/functions/posts', 'functions', 'posts'], ['/api/functions/f', 'functions'],
    ['/api/auth/login', 'auth'], ['/api/auth/posts', 'auth'], ['/api/storage/file/posts', 'storage'], ['/api/admin/users', 'admin'],
    ['/api/meta/contract', 'meta'], ['/api/docs', 'other'], ['/api/other', 'other'], ['/api', 'other'], ['/api/', 'other'],
    ['/apidata/posts', 'other'], ['/data/posts', 'other'], ['/', 'other'], ['/metrics', 'other'], ['/health', 'other'],
  ];
  for (const [url] of expected) end(url);
  const all = expected.map(([, surface, collection]) =>
    ({ surface, method: 'GET', status: 200, ...(collection !== undefined && { collection }) }));
  const distinct = [...new Map(all.map(one => [JSON.stringify(one), one])).values()];
  t.same(labels(), distinct);
  t.end();
});

test('everything is below an empty base path', t => {
  const { end, labels } = recording(() => new Set(['posts']), '');
  end('/data/posts');
  end('/health');
  t.same(labels().map(({ surface, collection }) => [surface, collection]), [['data', 'posts'], ['other', undefined]]);
  t.end();
});

test('methods that nobody has heard of are one', t => {
  const { end, labels } = recording(() => new Set());
  for (const method of ['GET', 'HEAD', 'BREW', 'get', '"}', 'PURGE']) end('/x', method);
  t.same(labels().map(({ method }) => method), ['GET', 'HEAD', '(other)']);
  t.end();
});

test('a collection that is served from now on is named from now on', t => {
  let slugs: ReadonlySet<string> = new Set(['posts']);
  const { end, labels } = recording(() => slugs);
  end('/api/data/notes');
  slugs = new Set(['notes']);
  end('/api/data/notes');
  end('/api/data/posts');
  t.same(labels().map(({ collection }) => collection), [undefined, 'notes']);
  t.end();
});

test('after 512 sets of labels each new one is counted as (other), for good', async t => {
  const totals = new Totals();
  const record = (n: number) => { totals.requests.record(totals.requests.rowOf(set(n)), 1); };
  for (let n = 0; n < 600; n++) record(n);
  for (let n = 0; n < 600; n++) record(n);
  const samples = samplesOf(await textOf(totals));
  const counters = [...samples].filter(([series]) => series.startsWith('service_requests_total'));
  t.equal(counters.length, 513);
  t.equal(sumOf(samples, 'service_requests_total'), 1200);
  t.equal(sumOf(samples, 'service_requests_total', { collection: '(other)' }), 2 * 88);
  t.equal(samples.get('service_requests_total{surface="data",method="GET",status="200",collection="c511"}'), 2);
  t.equal(sumOf(samples, 'service_request_duration_ms_count'), 1200);
});

test('sets beyond 512 with other labels than the collection stay apart, however many there are', t => {
  const sets = new RequestSets();
  for (let status = 0; status < 3000; status++) sets.record(sets.rowOf({ surface: 'data', method: 'GET', status, collection: 'c' }), 2);
  const { labels, numbers } = sets.copy();
  t.equal(labels.length, 3000);
  t.equal(numbers.reduce((sum, number) => sum + number), 3000 + 3000 * 2);
  t.end();
});

test('processes that know different sets have 512 in all', async t => {
  const totals = new Totals();
  for (let process = 0; process < 3; process++) {
    const sets = new RequestSets();
    for (let n = 0; n < 400; n++) sets.record(sets.rowOf(set(process * 400 + n)), 1);
    totals.add({ requests: sets.take(), counters: [], gauges: [] });
  }
  const samples = samplesOf(await textOf(totals));
  t.equal([...samples.keys()].filter(series => series.startsWith('service_requests_total')).length, 513);
  t.equal(sumOf(samples, 'service_requests_total', { collection: '(other)' }), 1200 - 512);
});

test('label values are escaped', async t => {
  const totals = new Totals();
  const collection = 'a "quoted"\\ name\nin two lines, {with} = signs';
  totals.requests.record(totals.requests.rowOf({ surface: 'data', method: 'GET', status: 200, collection }), 1);
  const text = await textOf(totals);
  t.match(text, 'method="GET",status="200",collection="a \\"quoted\\"\\\\ name\\nin two lines, {with} = signs"} 1\n');
  t.equal(samplesOf(text).size, 15);
});

test('reports tell how much counters have grown; their sum never falls when a process is gone', async t => {
  const totals = new Totals();
  const figures = (count: number, bytes: number): Figure[] => [
    { name: 'service_statements_total', labels: { lane: 'point' }, value: count }, { name: 'service_process_rss_bytes', value: bytes },
  ];
  let [first, second] = [figures(5, 100), figures(7, 200)];
  const [one, two] = [createReporter(() => first), createReporter(() => second)];
  const scrape = async (...reporters: (typeof one)[]) => {
    const number = totals.beginScrape();
    for (const report of reporters) totals.add(report(number));
    const samples = samplesOf(await textOf(totals));
    return [sumOf(samples, 'service_statements_total', { lane: 'point' }), sumOf(samples, 'service_process_rss_bytes')];
  };
  t.same(await scrape(one, two), [12, 300]);
  first = figures(9, 110);
  t.same(await scrape(one, two), [16, 310]);
  second = figures(8, 220);
  totals.add(two());
  t.same(await scrape(one), [17, 110], 'the second has ended');
  t.same(await scrape(createReporter(() => figures(3, 50)), one), [20, 160], 'its successor counts from 0');
  totals.add(two(1));
  t.equal(sumOf(samplesOf(await textOf(totals)), 'service_process_rss_bytes'), 160, 'a late answer to an earlier scrape has no gauges');
});
