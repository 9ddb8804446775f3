import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { socketAddress } from '../../gateway/process/exclusive-socket.ts';
import { runsUnit } from './current.ts';

/** The project's root. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the keeper of this checkout's test server is met. */
export const KEEPER_ADDRESS = socketAddress(`${ROOT} test server`);

const KEEPER = fileURLToPath(new URL('keeper.ts', import.meta.url));

/** `tablespace`: where the databases of tests belong, when it is not where the templates are. */
export type Server = { url: string; kind: string; tablespace?: string | undefined };

/** The greeting of the keeper for every connection, in one line. */
export type Greeting = Server | { failure: string };

let lease: Promise<Server & { socket?: Socket }> | undefined;

/** Disposable data needs no durability, which takes two thirds of the time of making a database, and weak passwords. */
export const FAST = {
  fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '400', scram_iterations: '1',
};

/**
 * The owner's URL of the PostgreSQL server that all test processes share: `DATABASE_URL` (`DATABASE_DIRECT_URL`, when that
 * is a pooler), else one that a keeper process started, in Docker or embedded. The keeper stops it soon after the last process that asked
 * has ended, however it ended.
 */
export async function serverUrl(): Promise<string> {
  return (await server()).url;
}

/** The same, with which of the three it is, in words. Rejects in a test whose name says that it needs no server. */
export async function server(): Promise<Server> {
  if (runsUnit()) throw new Error('A *.unit.test.ts has no server: name the file *.test.ts.');
  const { DATABASE_URL: given, DATABASE_DIRECT_URL: direct } = process.env;
  if (given) return { url: direct ?? given, kind: direct ? 'DATABASE_URL, a pooler, and DATABASE_DIRECT_URL' : 'DATABASE_URL' };
  return lease ??= takeLease();
}

/** For the process that runs all tests, at its end: resolves when the server is gone too, unless others still use it. */
export async function leaveServer(): Promise<void> {
  const socket = (await lease)?.socket;
  if (!socket) return;
  const closed = once(socket, 'close');
  socket.ref().resume().write('leaving\n');
  await closed;
}

/** Where requests to a database of the test server connect: to itself, or through the pooler of the run. */
export function requestsUrl(url: string): string {
  const { DATABASE_URL: pooler, DATABASE_DIRECT_URL: direct } = process.env;
  if (!pooler || !direct || new URL(url).host !== new URL(direct).host) return url;
  const pooled = new URL(pooler);
  pooled.pathname = new URL(url).pathname;
  return pooled.href;
}

async function takeLease(): Promise<Server & { socket: Socket }> {
  for (;;) {
    const socket = await dial(KEEPER_ADDRESS);
    const greeting = socket && await greetingFrom(socket);
    if (greeting && 'failure' in greeting) throw new Error(greeting.failure);
    if (greeting) {
      socket.unref(); // held open, but no reason for a test process to stay
      return { ...greeting, socket };
    }
    await startKeeper();
  }
}

async function dial(address: string): Promise<Socket | undefined> {
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    socket.on('error', () => socket.destroy()); // the keeper is gone; its server's clients will notice
    return socket;
  } catch {
    return undefined; // there is no keeper
  }
}

/** Undefined when the keeper was about to end. */
async function greetingFrom(socket: Socket): Promise<Greeting | undefined> {
  for await (const line of createInterface(socket)) return JSON.parse(line) as Greeting;
  return undefined;
}

/** Resolves when the keeper accepts connections, or has ended because another one does. */
async function startKeeper(): Promise<void> {
  // It inherits nothing: a test runner waits until everyone who has its output has closed it.
  const keeper = spawn(process.execPath, [...process.execArgv, KEEPER], { stdio: ['ignore', 'pipe', 'ignore'], detached: true, cwd: ROOT });
  const [first] = await Promise.race([once(keeper.stdout, 'data'), once(keeper, 'exit')]) as [Buffer | number | null];
  keeper.stdout.destroy();
  keeper.unref();
  if (typeof first === 'number' && first !== 0) throw new Error(`The keeper of the test server failed. Run it to see why: node ${KEEPER}`);
}
