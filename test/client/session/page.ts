/** Pages that use the client from its source, in a real browser. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import type { Test } from 'tap';
import { listen } from '../../accounts/issuer.ts';
import { openBrowser, type AnyPage, type Browser } from '../../harness/browser.ts';
import { openFirefox } from '../../harness/firefox.ts';
import { ROOT } from '../../harness/server.ts';

const PAGE = `<!doctype html><meta charset="utf-8"><title>Client</title>
<script type="importmap">{"imports": {"@simplewebauthn/browser": "/peer/index.js", "tus-js-client": "/tus.js"}}</script>
<script type="module">
  import * as client from '/client/index.ts';
  import { realtime } from '/client/realtime/realtime.ts';
  import * as passkeys from '/client/session/passkeys.ts';
  import { resumableUpload } from '/client/uploads.ts';
  window.client = { ...client, ...passkeys, realtime, resumableUpload };
</script>`;

const FOLDERS = { client: 'client/src', peer: 'node_modules/@simplewebauthn/browser/esm' };

/** Its build for browsers is a script, not a module. */
const TUS = `const module = { exports: {} }, exports = module.exports;
${readFileSync(join(ROOT, 'node_modules/tus-js-client/dist/tus.js'), 'utf8')}
export const { DetailedError, Upload } = module.exports;`;

/** Serves the page, and the modules that tests add by their paths; its origin has an address for a host. */
export async function servePage(t: Pick<Test, 'teardown'>, modules: Record<string, string> = {}): Promise<string> {
  const { url } = await listen(t, ({ url: path = '' }, response) => {
    const module = path === '/tus.js' ? TUS : modules[path];
    if (module !== undefined) return response.setHeader('content-type', 'text/javascript').end(module);
    const [, folder = '', file = ''] = /^\/(client|peer)\/([\w./-]+)$/.exec(path) ?? [];
    if (folder === '') return response.setHeader('content-type', 'text/html').end(PAGE);
    const source = readFileSync(join(ROOT, FOLDERS[folder as keyof typeof FOLDERS], file), 'utf8');
    response.setHeader('content-type', 'text/javascript').end(file.endsWith('.ts') ? stripTypeScriptTypes(source) : source);
  });
  return url;
}

export const BROWSERS: [name: string, open: (t: Pick<Test, 'teardown' | 'comment'>) => Promise<Browser<AnyPage> | undefined>][] =
  [['Chromium', openBrowser], ['Firefox', openFirefox]];

/** A script that writes down the types of the frames that sockets of the page send. */
export const FRAMES = `
  window.sentTypes = [];
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function(text) {
    sentTypes.push(JSON.parse(text).type);
    send.call(this, text);
  };`;

/** A tab at the page, after this script ran in it, which sees `client`. */
export async function tab<P extends AnyPage>(browser: Browser<P>, origin: string, script: string): Promise<P> {
  const page = await browser.page(480, 720);
  await page.open(origin);
  await begin(page, script);
  return page;
}

/** Runs a script once the client is loaded. */
export async function begin(page: AnyPage, script: string): Promise<void> {
  await page.until(`window.client && !window.begun && ((window.begun = true), (() => { ${script} })(), true)`);
}

/** The value that an expression of the page resolves with; a failure by its code. */
export async function result<T>(page: AnyPage, expression: string): Promise<T> {
  return page.evaluate(`(async () => (${expression}))().catch(error => ({ failed: error.code ?? String(error) }))`) as Promise<T>;
}
