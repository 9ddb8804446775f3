// Keeps the test server while anybody is connected to it here. A process of its own, because test files come and go.
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { startEmbedded } from '../../gateway/embedded/embedded.ts';
import { listenExclusively } from '../../gateway/process/exclusive-socket.ts';
import { dropLeftovers } from './database.ts';
import { startInDocker } from './docker.ts';
import { openMemory } from './memory.ts';
import { FAST, KEEPER_ADDRESS, ROOT, type Greeting, type Server } from './server.ts';

/** Between two test files there may be no connection for a moment. */
const LINGER = 3_000;

const visitors = new Set<Socket>();
const listener = await listenExclusively(KEEPER_ADDRESS, socket => void greet(socket));
if (!listener) process.exit(0); // another keeper was faster
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);
let isLeaving = false;
let leaving = setTimeout(() => void leave(), LINGER);
const server = start();
process.stdout.write('listening\n');

async function start(): Promise<{ greeting: Greeting; stop: () => Promise<void> }> {
  try {
    const { stop, ...server } = await startInDocker(FAST) ?? await startHere();
    return { greeting: server, stop };
  } catch (error) {
    return { greeting: { failure: `No PostgreSQL server for the tests: ${(error as Error).message}` }, stop: () => Promise.resolve() };
  }
}

async function startHere(): Promise<Server & { stop: () => Promise<void> }> {
  const dir = join(ROOT, '.data/test');
  const { url, stop } = await startEmbedded({ dir, settings: FAST });
  await dropLeftovers(url);
  return { url, kind: 'the embedded server', tablespace: await openMemory(url, dir), stop };
}

async function greet(socket: Socket): Promise<void> {
  socket.on('error', () => socket.destroy());
  if (isLeaving) return void socket.end(); // told nothing, it starts the next keeper
  visitors.add(socket);
  clearTimeout(leaving);
  socket.on('data', () => void sayGoodbye(socket));
  socket.on('close', () => {
    visitors.delete(socket);
    if (visitors.size === 0) leaving = setTimeout(() => void leave(), LINGER);
  });
  const { greeting } = await server;
  socket.write(`${JSON.stringify(greeting)}\n`);
}

/** A process that says goodbye waits until its connection is closed, which its end does as well. */
async function sayGoodbye(socket: Socket): Promise<void> {
  visitors.delete(socket);
  if (visitors.size === 0) await leave();
  else socket.destroy();
}

async function leave(): Promise<void> {
  isLeaving = true;
  const { stop } = await server;
  await stop();
  process.exit(0); // frees the address only now, when the next keeper may start
}
