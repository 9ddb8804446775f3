// The client as npm packs it, in a page of React 19 and one of Vue 3 with TanStack Query, in Chromium and Firefox:
// in one of them at random, and in both by npm run proof.
import { readFileSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'tap';
import { listen } from '../accounts/issuer.ts';
import { some } from '../harness/effort.ts';
import { lendService } from '../harness/lend.ts';
import { ROOT } from '../harness/server.ts';
import { SERVICE_KEY } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { createClient } from '../../client/src/index.ts';
import { pack } from './packed.ts';
import { BROWSERS, FRAMES, result } from './session/page.ts';
import { schema, type Schema } from './store.types.ts';

const PACKAGES = [
  'esbuild@0.28.2', 'react@19.3.1', 'react-dom@19.3.1', '@tanstack/react-query@5.108.4', 'vue@3.5.45', '@tanstack/vue-query@5.104.0',
];

/** Options as both pages use them. */
const QUERIES = `
  import { createClient } from '@rowgate/client';
  import { queriesOf } from '@rowgate/client/query';
  import { realtime } from '@rowgate/client/realtime';
  import { schema } from './rowgate.types.js';

  const [url, token] = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  const tags = queriesOf(createClient({ url, token, schema, warn() {}, realtime }), 'tags');
  const query = { where: { name: ['like', 'a%'] }, fields: ['name'], orderBy: [{ field: 'name' }] };
  export const list = () => tags.list(query, { live: true });
  export const create = tags.mutation((rows, name) => rows.create({ name }));
  export const text = ({ data, error }) => error ? error.code : data ? data.data.map(({ name }) => name).join() : 'loading';`;

const REACT = `
  import { createElement as h, StrictMode, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query';
  import { create, list, text } from './queries.js';

  const Tags = () => h('p', {}, text(useQuery(list())));
  const Add = () => {
    const { mutateAsync } = useMutation(create);
    window.add = name => mutateAsync(name).then(() => text({ data: window.cache.getQueryData(list().queryKey) }));
    return null;
  };
  const App = () => {
    const [count, setCount] = useState(2);
    window.show = setCount;
    return [h(Add, { key: 'add' }), ...Array.from({ length: count }, (_, key) => h(Tags, { key }))];
  };
  window.cache = new QueryClient();
  createRoot(document.querySelector('main')).render(
    h(StrictMode, {}, h(QueryClientProvider, { client: window.cache }, h(App))));`;

const VUE = `
  import { createApp, h, ref } from 'vue/dist/vue.runtime.esm-bundler.js';
  import { QueryClient, useMutation, useQuery, VueQueryPlugin } from '@tanstack/vue-query';
  import { create, list, text } from './queries.js';

  const Tags = { setup() {
    const { data, error } = useQuery(list());
    return () => h('p', text({ data: data.value, error: error.value }));
  } };
  const App = { setup() {
    const count = ref(2);
    const { mutateAsync } = useMutation(create);
    window.show = value => { count.value = value; };
    window.add = name => mutateAsync(name).then(() => text({ data: window.cache.getQueryData(list().queryKey) }));
    return () => Array.from({ length: count.value }, (_, key) => h(Tags, { key }));
  } };
  window.cache = new QueryClient();
  createApp(App).use(VueQueryPlugin, { queryClient: window.cache }).mount('main');`;

/** As projects with types use the options. */
const TYPED = `
  import { createClient } from '@rowgate/client';
  import { queriesOf } from '@rowgate/client/query';
  import { realtime } from '@rowgate/client/realtime';
  import { schema, type Schema } from './rowgate.types.js';

  const products = queriesOf(createClient<Schema>({ url: '', schema, realtime }), 'products');
  const rename = products.mutation((rows, name: string) => rows.update(1, { name }), { also: ['orders'] });
  // @ts-expect-error what is nearest cannot be followed
  products.list({ vector_search: 'taste', vector: [1] }, { live: true });
  export const cache = new QueryClient();
  export const page: { name: string }[] = (await cache.fetchQuery(products.list({ fields: ['name'] }))).data;
  export const one: { name: string } = await cache.ensureQueryData(products.get(1));
  export const all: number[] = (await cache.fetchInfiniteQuery(products.pages())).pages.flatMap(({ data }) => data.map(({ id }) => id));`;

const TYPED_REACT = `
  import { QueryClient, useInfiniteQuery, useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
  ${TYPED}
  export function Products(): string | undefined {
    const list: { name: string }[] | undefined = useQuery(products.list({ fields: ['name'] }, { live: true })).data?.data;
    const names: string[] | undefined = useQuery({ ...products.list(), select: ({ data }) => data.map(({ name }) => name) }).data;
    const row: { name: string } = useSuspenseQuery(products.get(1)).data;
    const pages: { name: string }[] | undefined = useInfiniteQuery(products.pages()).data?.pages.flatMap(({ data }) => data);
    useMutation(rename).mutate('new');
    return [...list ?? [], row, ...pages ?? []][0]?.name ?? names?.[0];
  }`;

const TYPED_VUE = `
  import { QueryClient, useInfiniteQuery, useMutation, useQuery } from '@tanstack/vue-query';
  import { computed, ref } from 'vue';
  ${TYPED}
  const id = ref(1);
  export const list: { name: string }[] | undefined = useQuery(products.list({ fields: ['name'] }, { live: true })).data.value?.data;
  export const row: { name: string } | undefined = useQuery(computed(() => products.get(id.value))).data.value;
  export const pages: { name: string }[] | undefined = useInfiniteQuery(products.pages()).data.value?.pages.flatMap(({ data }) => data);
  useMutation(rename).mutate('new');`;

/** The oldest and the newest that the package is for, and with another copy of query-core beside its own. */
const VERSIONS: [name: string, program: string, ...packages: string[]][] = [
  ['oldest', TYPED_REACT, '@tanstack/react-query@5.89.0'],
  ['newest', TYPED_REACT, '@tanstack/react-query@5.108.4'],
  ['older-beside', TYPED_REACT, '@tanstack/react-query@5.101.0', '@tanstack/query-core@5.108.4'],
  ['newer-beside', TYPED_REACT, '@tanstack/react-query@5.108.4', '@tanstack/query-core@5.89.0'],
  ['vue', TYPED_VUE, '@tanstack/vue-query@5.104.0', '@tanstack/query-core@5.108.4', 'vue@3.5.45'],
];

test('the types fit React and Vue Query, the oldest and the newest, and beside another copy of query-core', async t => {
  const { project } = pack(t);
  for (const [name, program, ...packages] of VERSIONS) {
    const { folder, missing } = project(name, ...packages, 'react@19.3.1', '@types/react@19.3.3');
    if (folder === undefined) return t.pass('the types', { skip: missing });
    writeFileSync(join(folder, 'program.ts'), program);
    const { stdout } = await promisify(execFile)(process.execPath, [
      join(ROOT, 'node_modules/typescript/bin/tsc'), '--strict', '--target', 'es2022', '--module', 'esnext',
      '--moduleResolution', 'bundler', '--lib', 'esnext,dom', '--skipLibCheck', '--noEmit', 'program.ts',
    ], { cwd: folder }).catch((error: unknown) => error as { stdout: string });
    t.equal(stdout, '', packages.join());
  }
});

const SHOWN = `[...document.querySelectorAll('p')].map(({ textContent }) => textContent)`;

for (const [name, open] of some(BROWSERS)) {
  test(`lists of React and Vue follow their table by one subscription, for as long as a component shows them: ${name}`, async t => {
    const browser = await open(t);
    if (browser === undefined) return;
    const { folder, missing } = pack(t).project('frameworks', ...PACKAGES);
    if (folder === undefined) return t.pass('the pages', { skip: missing });
    const service = await lendService(t, { env: { SERVICE_METRICS: 'true' } });
    const metric = async (gauge: string) => {
      const metrics = await (await fetch(`${service.address}/metrics`, { headers: { authorization: `Bearer ${SERVICE_KEY}` } })).text();
      return Number(new RegExp(`^service_${gauge} (\\d+)`, 'm').exec(metrics)?.[1]);
    };
    const other = createClient<Schema>({ url: service.address, token: SERVICE_KEY, schema, warn: () => undefined }).from('tags');
    const { url: origin } = await listen(t, ({ url = '' }, response) => {
      const script = /^\/(\w+)\.min\.js$/.exec(url);
      const page = `<main></main><script>{${FRAMES}}</script><script src="${url}.min.js"></script>`;
      if (!script) return response.setHeader('content-type', 'text/html').end(page);
      response.setHeader('content-type', 'text/javascript').end(readFileSync(join(folder, url)));
    });

    writeFileSync(join(folder, 'queries.js'), QUERIES);
    for (const [framework, program] of Object.entries({ react: REACT, vue: VUE })) {
      writeFileSync(join(folder, `${framework}.js`), program);
      await promisify(execFile)(join(folder, 'node_modules/.bin/esbuild'), [
        `${framework}.js`, `--outfile=${framework}.min.js`, '--bundle', '--minify', '--define:process.env.NODE_ENV="development"',
      ], { cwd: folder });
      const page = await browser.page(480, 720);
      const subscribed = () => result<number>(page, `sentTypes.filter(type => type === 'subscribe_collection').length`);
      const shows = (...names: string[]) => page.until(`(${SHOWN}).join(' ') === ${JSON.stringify(names.join(' '))}`);
      const { id } = await other.create({ name: `a ${framework}` });
      await page.open(`${origin}/${framework}#${encodeURIComponent(JSON.stringify([service.address, SERVICE_KEY]))}`);
      await shows(`a ${framework}`, `a ${framework}`);
      t.same([await subscribed(), await metric('subscriptions'), await metric('sockets')], [1, 1, 1],
        `${framework}: two components, one subscription`);

      await other.update(id, { name: 'a changed' });
      await shows('a changed', 'a changed');
      t.equal(await subscribed(), 1);
      await page.until(`window.added ??= (add('a new').then(shown => { window.added = shown; }), 'waiting'), added !== 'waiting'`);
      t.equal(await page.until('added'), 'a changed,a new', 'its query has the write when a mutation ends');
      await shows('a changed,a new', 'a changed,a new');
      t.same([await subscribed(), await metric('subscriptions')], [2, 1],
        'a mutation makes it stale: read again in place of the earlier one');

      await page.until('(show(1), true)');
      await shows('a changed,a new');
      t.equal(await metric('subscriptions'), 1);
      await page.until('(show(0), true)');
      await until('the subscription has ended', async () => await metric('subscriptions') === 0);
      await until('the socket is closed', async () => await metric('sockets') === 0);
      t.equal(await page.until('cache.getQueryCache().getAll().length'), 1, 'its data stay in the cache');
      t.same(page.sent.filter(({ url, method }) => method === 'GET' && url.includes('/api/data/')), []);
      t.same(page.faults, []);
      for (const row of (await other.list({ where: { name: ['like', 'a%'] } })).data) await other.remove(row.id);
    }
  });
}
