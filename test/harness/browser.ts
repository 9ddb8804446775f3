// A real browser, by its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/): Debian's Chromium, without a window.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { scaled } from './until.ts';

const CHROMIUM = '/usr/bin/chromium';
/** It does nothing of its own accord, and root may run it. */
const ARGUMENTS = [
  '--headless=new', '--no-sandbox', '--no-first-run', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking',
  '--disable-component-update', '--remote-debugging-port=0', 'about:blank',
];

const KEYS = { Tab: 9, Enter: 13 };

/** Milliseconds for what a page is to become. */
const PATIENCE = 30_000;

export type Sent = { url: string; method: string; headers: Record<string, string>; postData?: string };
export type Page = {
  /** Everything that the page has asked for. */
  sent: Sent[];
  /** Errors of the page, and violations of its policy. */
  faults: string[];
  open: (url: string) => Promise<void>;
  /** Looks again and again until the expression is truthy, and resolves with it. */
  until: (expression: string) => Promise<any>;
  /** Into the field that has the focus. */
  type: (text: string) => Promise<void>;
  /** A key, as a keyboard does it. */
  press: (key: 'Tab' | 'Enter') => Promise<void>;
  screenshot: (path: string) => Promise<void>;
  /** Sends a command of the protocol. */
  tell: (method: string, params?: object) => Promise<any>;
  /** Hears an event of the protocol. */
  listen: (method: string, heard: (params: any) => void) => void;
};
export type Browser = {
  page: (width: number, height: number) => Promise<Page>;
  /** Stops all of its processes, or lets them go on. */
  signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
};

/** Undefined where there is none and none can be installed. Closed at the test's end. */
export async function openBrowser(t: Pick<Test, 'teardown' | 'comment'>): Promise<Browser | undefined> {
  const missing = await installFromDebian(CHROMIUM, 'chromium', 'fonts-dejavu-core');
  if (missing !== undefined) {
    t.comment(missing);
    return undefined;
  }
  const profile = mkdtempSync(join(tmpdir(), 'rowgate-browser-'));
  const child = spawn(CHROMIUM, [...ARGUMENTS, `--user-data-dir=${profile}`], { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const closed = once(child, 'close');
  t.teardown(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // its helpers have its group
    await closed;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const protocol = await connect(await addressIn(child.stderr));
  return {
    page: (width, height) => openPage(protocol, width, height),
    signal: name => { if (child.pid !== undefined) process.kill(-child.pid, name); },
  };
}

/** Installs a program unless it is there, which takes root. Returns why it cannot be had. */
export async function installFromDebian(program: string, ...packages: string[]): Promise<string | undefined> {
  if (existsSync(program)) return undefined;
  const run = promisify(execFile);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update', '-q'], { env });
    await run('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...packages], { env, maxBuffer: 1e8 });
    return undefined;
  } catch (error) {
    return `${packages.join(' and ')} cannot be installed: ${(error as Error).message}`;
  }
}

async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  const said: string[] = [];
  for await (const line of createInterface(output)) {
    const [, address] = /^DevTools listening on (ws:.*)/.exec(line) ?? [];
    if (address !== undefined) return address;
    said.push(line);
  }
  throw new Error(`Chromium did not start:\n${said.join('\n')}`);
}

type Event = { method: string; sessionId?: string; params: any };
type Protocol = {
  call: (method: string, params?: object, sessionId?: string) => Promise<any>; listen: (heard: (event: Event) => void) => void;
};

async function connect(address: string): Promise<Protocol> {
  const socket = new WebSocket(address);
  await once(socket, 'open');
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  const listeners: ((event: Event) => void)[] = [];
  let calls = 0;
  socket.addEventListener('close', () => waiting.forEach(({ reject }) => { reject(new Error('The browser is gone.')); }));
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Event & { id?: number; result?: unknown; error?: { message: string } };
    if (message.id === undefined) return listeners.forEach(heard => heard(message));
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if (message.error) reject?.(new Error(message.error.message));
    else resolve?.(message.result);
  });
  return {
    listen: heard => { listeners.push(heard); },
    call: (method, params = {}, sessionId) => new Promise((resolve, reject) => {
      waiting.set(++calls, { resolve, reject });
      socket.send(JSON.stringify({ id: calls, method, params, ...(sessionId !== undefined && { sessionId }) }));
    }),
  };
}

async function openPage({ call, listen }: Protocol, width: number, height: number): Promise<Page> {
  const { targetId } = await call('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await call('Target.attachToTarget', { targetId, flatten: true });
  const tell = (method: string, params: object = {}) => call(method, params, sessionId as string);
  const [sent, faults]: [Sent[], string[]] = [[], []];
  listen(({ method, sessionId: from, params }) => {
    if (from !== sessionId) return;
    if (method === 'Network.requestWillBeSent') sent.push(params.request);
    if (method === 'Runtime.exceptionThrown') faults.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    // A refused request is an answer, and the page says so.
    if (method === 'Log.entryAdded' && params.entry.level === 'error' && params.entry.source !== 'network') faults.push(params.entry.text);
  });
  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await tell(`${domain}.enable`);
  await tell('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });

  return {
    sent, faults, tell,
    listen: (method, heard) => {
      listen(event => { if (event.sessionId === sessionId && event.method === method) heard(event.params); });
    },
    open: url => tell('Page.navigate', { url }),
    async until(expression) {
      const looking = `new Promise((resolve, reject) => {
        const end = Date.now() + ${scaled(PATIENCE)};
        const look = () => {
          const found = (${expression});
          if (found) resolve(found);
          else if (Date.now() > end) reject(new Error('It did not come.'));
          else setTimeout(look, 20);
        };
        look();
      })`;
      const evaluate = (): Promise<any> => tell('Runtime.evaluate', { expression: looking, awaitPromise: true, returnByValue: true })
        .catch((error: unknown) => {
          if (!/navigated|context was destroyed|Cannot find default execution context/.test((error as Error).message)) throw error;
          return evaluate(); // on the page that came meanwhile
        });
      const { result, exceptionDetails } = await evaluate();
      if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description as string}`);
      return result.value;
    },
    type: text => tell('Input.insertText', { text }),
    async press(key) {
      const event = { key, code: key, windowsVirtualKeyCode: KEYS[key], ...(key === 'Enter' && { text: '\r' }) };
      for (const type of ['keyDown', 'keyUp']) await tell('Input.dispatchKeyEvent', { type, ...event });
    },
    async screenshot(path) {
      const { data } = await tell('Page.captureScreenshot', { format: 'png' });
      writeFileSync(path, Buffer.from(data as string, 'base64'));
    },
  };
}
