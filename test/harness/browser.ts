// A real browser, by its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/): Debian's Chromium, without a window.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { until } from './until.ts';

const CHROMIUM = '/usr/bin/chromium';
/** It does nothing of its own accord, and root may run it. */
const ARGUMENTS = [
  '--headless=new', '--no-sandbox', '--no-first-run', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking',
  '--disable-component-update', '--remote-debugging-port=0', 'about:blank',
];

const KEYS = { Tab: 9, Enter: 13 };

/** Milliseconds between two looks at a page. */
const PAUSE = 20;

const AUTHENTICATOR = {
  protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
  automaticPresenceSimulation: true,
};

export type Sent = { url: string; method: string; headers: Record<string, string>; postData?: string };
/** The part that every browser can be told. */
export type AnyPage = {
  /** Everything that the page has asked for. */
  sent: Pick<Sent, 'url' | 'method'>[];
  /** Errors of the page, and violations of its policy. */
  faults: string[];
  open: (url: string) => Promise<void>;
  reload: () => Promise<void>;
  /** Brings the tab to the front, and hides the one that was there. */
  show: () => Promise<void>;
  /** From now on the page is not hidden, wherever its tab is: a browser runs the timers of a hidden one once a second. */
  keepShown: () => Promise<void>;
  /** Takes the network from the page, or gives it back. Sockets that are open stay so. */
  offline: (isOffline: boolean) => Promise<void>;
  /** Gives the browser a platform authenticator for passkeys, which verifies its person and answers without being touched. */
  addAuthenticator: () => Promise<void>;
  /** Looks again and again until the expression is truthy, and resolves with it. */
  until: (expression: string) => Promise<any>;
  /** The value of an expression, awaited. @throws Error what it throws */
  evaluate: (expression: string) => Promise<any>;
};
export interface Page extends AnyPage {
  sent: Sent[];
  /** Into the field that has the focus. */
  type: (text: string) => Promise<void>;
  /** A key, as a keyboard does it. */
  press: (key: 'Tab' | 'Enter') => Promise<void>;
  screenshot: (path: string) => Promise<void>;
  /** Sends a command of the protocol. */
  tell: (method: string, params?: object) => Promise<any>;
  /** Hears an event of the protocol. */
  listen: (method: string, heard: (params: any) => void) => void;
}
export type Browser<P extends AnyPage = Page> = {
  page: (width: number, height: number) => Promise<P>;
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
  const { output, signal } = launch(t, CHROMIUM, profile => [...ARGUMENTS, `--user-data-dir=${profile}`]);
  const protocol = await connect(await addressIn(output, /^DevTools listening on (ws:.*)/));
  return { signal, page: (width, height) => openPage(protocol, width, height) };
}

/** Starts a browser with an empty profile. Killed at the test's end. */
export function launch(t: Pick<Test, 'teardown'>, program: string, args: (profile: string) => string[]) {
  const profile = mkdtempSync(join(tmpdir(), 'rowgate-browser-'));
  const child = spawn(program, args(profile),
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, env: { ...process.env, HOME: profile } });
  const closed = once(child, 'close');
  t.teardown(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // its helpers have its group
    await closed;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const signal: Browser['signal'] = name => { if (child.pid !== undefined) process.kill(-child.pid, name); };
  return { output: child.stderr, signal };
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

/** The address of the protocol, which the browser prints. */
export async function addressIn(output: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  const said: string[] = [];
  try {
    for await (const line of createInterface(output)) {
      const [, address] = pattern.exec(line) ?? [];
      if (address !== undefined) return address;
      said.push(line);
    }
  } finally {
    output.resume(); // a pipe that is full would hold the browser up
  }
  throw new Error(`The browser did not start:\n${said.join('\n')}`);
}

type Event = { method: string; sessionId?: string; params: any };
type Answer = { id?: number; result?: unknown; error?: { message: string } | string; message?: string };
export type Protocol = {
  call: (method: string, params?: object, sessionId?: string) => Promise<any>; listen: (heard: (event: Event) => void) => void;
};

/**
 * DevTools and WebDriver BiDi have the same frames, but for errors. Not by the WebSocket of Node 22: all masks of a process are 0 after its
 * first 4,096 frames (undici 6.28), and Firefox closes the socket then.
 */
export async function connect(address: string): Promise<Protocol> {
  const socket = new WebSocket(address, { perMessageDeflate: false });
  await once(socket, 'open');
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  const listeners: ((event: Event) => void)[] = [];
  let calls = 0;
  socket.on('close', () => waiting.forEach(({ reject }) => { reject(new Error('The browser is gone.')); }));
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Event & Answer;
    if (message.id === undefined) return listeners.forEach(heard => heard(message));
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    const { error } = message;
    if (error) reject?.(new Error(typeof error === 'string' ? `${error}: ${message.message}` : error.message));
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

  const evaluate = async (expression: string): Promise<any> => {
    const { result, exceptionDetails } = await tell('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.exception?.value);
    return result.value;
  };

  return {
    sent, faults, tell,
    listen: (method, heard) => {
      listen(event => { if (event.sessionId === sessionId && event.method === method) heard(event.params); });
    },
    open: url => tell('Page.navigate', { url }),
    reload: () => tell('Page.reload'),
    show: () => tell('Page.bringToFront'),
    keepShown: () => tell('Emulation.setFocusEmulationEnabled', { enabled: true }),
    offline: offline => tell('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }),
    async addAuthenticator() {
      await tell('WebAuthn.enable');
      await tell('WebAuthn.addVirtualAuthenticator', { options: AUTHENTICATOR });
    },
    evaluate,
    until: expression => lookFor(evaluate, expression),
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

/**
 * Also on the page that comes meanwhile. Each look is an evaluation of its own: Firefox keeps pages that are left, and never answers one
 * that waits in such a page.
 */
export async function lookFor(evaluate: AnyPage['evaluate'], expression: string): Promise<any> {
  return until(expression, async () => {
    try {
      return await evaluate(`(${expression}) || false`) as unknown;
    } catch (error) {
      const { message } = error as Error;
      if (/navigated|context was destroyed|Cannot find default execution context|no such frame|discarded/.test(message)) return false;
      throw new Error(`${expression}: ${message}`, { cause: error });
    }
  }, { pause: PAUSE });
}
