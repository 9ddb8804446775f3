// The pages about rendering on a server: the code of each in a project of its framework, checked, built, and used by a person.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { test, type Test } from 'tap';
import { freePort } from '../../gateway/process/free-port.ts';
import { blocksOf, filesBelowPaths } from '../docs/markdown.ts';
import { some } from '../harness/effort.ts';
import { lendService } from '../harness/lend.ts';
import { ROOT } from '../harness/server.ts';
import { createAuth, memory } from '../../client/src/index.ts';
import { pack } from './packed.ts';

const PERSON = { email: 'ada@example.org', password: 'Correct-horse-1' };
/** The store's newest, which the pages list first. */
const PRODUCT = 'Lokum with rose';
const COMPILER = 'typescript@5.9.3';
const STRICT = { strict: true, noUncheckedIndexedAccess: true };

type Framework = {
  page: string;
  packages: string[];
  /** Where the page has the types of the schema. */
  types: string;
  /** The files that such a project has beside those of the page. */
  files: Record<string, string>;
  commands: string[];
  start: string;
  submit: (site: Site, button: 'Sign in' | 'Sign out') => Promise<Response>;
};

const FRAMEWORKS: Record<string, Framework> = {
  'Next.js': {
    page: 'docs/client-nextjs.md', types: 'lib/rowgate.types.ts',
    packages: ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1', '@types/react@19.3.3', '@types/node@22.20.7', COMPILER],
    files: {
      'tsconfig.json': JSON.stringify({ compilerOptions: STRICT }),
      'app/layout.tsx': `
        import type { ReactNode } from 'react';
        export default function Layout({ children }: { children: ReactNode }) { return <html><body>{children}</body></html>; }`,
    },
    commands: ['next build'], start: 'node_modules/.bin/next start', submit: submitForm,
  },
  SvelteKit: {
    page: 'docs/client-sveltekit.md', types: 'src/lib/rowgate.types.ts',
    packages: [
      '@sveltejs/kit@2.70.4', '@sveltejs/adapter-node@5.5.7', '@sveltejs/vite-plugin-svelte@7.3.1', 'svelte@5.57.3', 'svelte-check@4.7.8',
      'vite@8.4.0', COMPILER,
    ],
    files: {
      'tsconfig.json': JSON.stringify({ extends: './.svelte-kit/tsconfig.json', compilerOptions: { ...STRICT, skipLibCheck: true } }),
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node'; export default { kit: { adapter: adapter() } };`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'; export default { plugins: [sveltekit()] };`,
      'src/app.html': '<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>',
    },
    commands: ['svelte-kit sync', 'svelte-check --output human --fail-on-warnings', 'vite build'], start: 'build/index.js',
    submit: submitForm,
  },
  Nuxt: {
    page: 'docs/client-nuxt.md', types: 'shared/rowgate.types.ts', packages: ['nuxt@4.4.5', 'vue-tsc@3.3.14', COMPILER],
    files: {
      'tsconfig.json': JSON.stringify({
        files: [], references: ['app', 'server', 'shared', 'node'].map(part => ({ path: `./.nuxt/tsconfig.${part}.json` })),
      }),
    },
    commands: ['nuxi typecheck', 'nuxi build'], start: '.output/server/index.mjs',
    submit: ({ post }, button) => button === 'Sign in'
      ? post('/api/login', { body: JSON.stringify(PERSON), headers: { 'content-type': 'application/json' } }) : post('/api/logout', {}),
  },
};

const SETTINGS = { NEXT_TELEMETRY_DISABLED: '1', NUXT_TELEMETRY_DISABLED: '1' };
/** Sessions that end so soon are refreshed at each request. */
const SHORT = { JWT_ACCESS_EXPIRES_IN: '1m' };

test('the code of a page compiles in its framework, and signs a person in and out', async t => {
  const { project } = pack(t);
  const { address } = await lendService(t, { env: { ALLOW_REGISTRATION: 'true', ...SHORT } });
  await createAuth({ url: address, storage: memory() }).register(PERSON);

  for (const [name, { page, packages, types, files, commands, start, submit }] of some(Object.entries(FRAMEWORKS))) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const documented = filesBelowPaths(text);
    t.equal(documented.length, blocksOf(text).filter(({ language }) => language === '').length, `${name}: each block has a path above it`);
    const [, version] = /@(\d+\.\d+)\.\d+$/.exec(packages[0] ?? '') ?? [];
    t.ok(text.includes(` ${version}`), `the page says that it was tried with ${name} ${version}`);

    const { folder, missing } = project(name, ...packages);
    if (folder === undefined) { t.pass(name, { skip: missing }); continue; }
    const write = (path: string, content: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    };
    for (const [path, content] of Object.entries(files)) write(path, content);
    for (const { path, text } of documented) write(path, text);
    write(types, readFileSync(join(folder, 'rowgate.types.ts'), 'utf8'));
    rmSync(join(folder, 'rowgate.types.ts'));
    for (const command of commands) t.same(await complaintsOf(folder, command), [], `${name}: ${command}`);
    const site = visit(await serve(t, folder, start, address));

    const shown = async () => {
      const html = await site.get('/');
      return [PERSON.email, PRODUCT].filter(text => html.includes(text));
    };
    t.same(await shown(), [], `${name}: a visitor sees no products`);
    t.ok((await submit(site, 'Sign in')).status < 400, `${name}: signed in`);
    const session = site.session();
    t.same(await shown(), [PERSON.email, PRODUCT], `${name}: a person does`);
    t.ok(session !== '' && site.session() !== session, `${name}: the session was refreshed before the page read it`);
    t.same(await shown(), [PERSON.email, PRODUCT], `${name}: the refreshed session is the one that the browser has`);
    t.ok((await submit(site, 'Sign out')).status < 400, `${name}: asked to sign out`);
    t.same([await shown(), site.session()], [[], ''], `${name}: signed out`);
  }
});

/** Runs a command of the project. Returns the lines that it wrote if it failed. */
async function complaintsOf(folder: string, command: string): Promise<string[]> {
  const [program = '', ...args] = command.split(' ');
  try {
    const file = join(folder, 'node_modules/.bin', program);
    await promisify(execFile)(process.execPath, [file, ...args], { cwd: folder, env: { ...process.env, ...SETTINGS } });
    return [];
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `${stdout}${stderr}`.split('\n');
  }
}

/** Starts the built project before the service at this address. Resolves with its own. */
async function serve(t: Pick<Test, 'teardown'>, folder: string, command: string, service: string): Promise<string> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const address = { PORT: `${port}`, ORIGIN: origin, ROWGATE_URL: service, NUXT_ROWGATE_URL: service };
  const env = { ...process.env, ...SETTINGS, ...address, NODE_ENV: 'production' };
  const child = spawn(process.execPath, command.split(' '), { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => end(child));
  let output = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      if (output.includes(`:${port}`)) resolve(origin);
    });
    child.once('close', () => reject(new Error(`${command} ended:\n${output}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill();
  await closed;
}

type Site = {
  get: (path: string) => Promise<string>;
  post: (path: string, init: RequestInit) => Promise<Response>;
  /** The cookie, '' without one. */
  session: () => string;
};

/** A browser without scripts, which has the cookie of the session. */
function visit(origin: string): Site {
  let session = '';
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(new URL(path, origin), {
      ...init, redirect: 'manual', headers: { ...init.headers as object, origin, ...session !== '' && { cookie: `session=${session}` } },
    });
    for (const cookie of response.headers.getSetCookie()) session = /^session=([^;]*)/.exec(cookie)?.[1] ?? session;
    return response;
  };
  return {
    get: async path => (await send(path, {})).text(),
    post: (path, init) => send(path, { ...init, method: 'POST' }),
    session: () => session,
  };
}

/** Submits the form of the page that has this button. */
async function submitForm({ get, post }: Site, button: string): Promise<Response> {
  const form = (await get('/')).split('<form').find(text => text.includes(`>${button}<`)) ?? '';
  const body = new FormData();
  for (const [, name = ''] of form.matchAll(/<input type="hidden" name="([^"]+)"/g)) body.set(name, '');
  for (const [name, value] of Object.entries(PERSON)) body.set(name, value);
  return post(/ action="([^"]+)"/.exec(form)?.[1] ?? '/', { body });
}
