import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { test, type Test } from 'tap';
import { accessTokens } from '../../gateway/blobs/gcs/access-token.ts';
import { connectS3 } from '../../gateway/blobs/s3/connection.ts';
import { remoteStore, type RemoteStore } from '../../gateway/blobs/s3/store.ts';
import { collectGarbage } from '../harness/garbage.ts';
import { bytesOf, put } from './store-suite.ts';

const SOON = { connect: 300, answer: 300, progress: 300, whole: 2000 };
const PLACE = { bucket: 'media', key: 'k' };
const KIND = { contentType: 'text/plain', custom: {} };
const WRITE = { status: 502, code: 'STORAGE_WRITE_FAILED', message: 'The file could not be stored.' };
const READ = { status: 503, code: 'SERVICE_UNAVAILABLE', message: 'The file store could not answer. Try again.' };

/** A store whose server does this with each connection. */
async function against(t: Test, serve: (socket: Socket) => void): Promise<{ store: RemoteStore; server: Server; open: Set<Socket> }> {
  const open = new Set<Socket>();
  const server = createServer(socket => {
    open.add(socket.on('close', () => open.delete(socket)).on('error', () => undefined));
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const account = {
    region: 'x', accessKeyId: 'AKID', secretAccessKey: 's3cret', endpoint: `http://127.0.0.1:${port}`, forcePathStyle: true,
  };
  const store = remoteStore('s3', connectS3(account, SOON), 'media');
  t.teardown(() => {
    store.close();
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { store, server, open };
}

/** Answers every request, once its head is there. */
function answering(answer: (head: string, socket: Socket) => void): (socket: Socket) => void {
  return socket => void socket.on('data', bytes => {
    const head = bytes.toString('latin1');
    if (/^[A-Z]+ \//.test(head)) answer(head, socket);
  });
}

/** Nothing is held open. Not `once`, which rejects where a connection is reset: it may be. */
async function allClosed(open: Set<Socket>): Promise<void> {
  await Promise.all(Array.from(open, socket => new Promise(resolve => { socket.once('close', resolve); })));
}

async function allFail(t: Test, store: RemoteStore): Promise<void> {
  await t.rejects(store.info(PLACE), READ);
  await t.rejects(store.open(PLACE), READ);
  await t.rejects(store.list('media', '', 10), READ);
  await t.rejects(store.remove(PLACE), WRITE);
  await t.rejects(store.folder(PLACE), WRITE);
  await t.rejects(put(store, 'k', bytesOf(1000)), WRITE);
  await t.rejects(put(store, 'k', bytesOf(6_000_000)), WRITE);
  const piece = await store.uploads.append(store.uploads.begin('id', PLACE, KIND, 10));
  await piece.write(bytesOf(10));
  await t.rejects(piece.end(), WRITE);
}

test('a store that is not there', async t => {
  const { store, server } = await against(t, () => undefined);
  server.close();
  await allFail(t, store);
});

test('a store that takes connections and says nothing', async t => {
  const { store, open } = await against(t, socket => void socket.resume());
  await allFail(t, store);
  await allClosed(open);
});

test('a store that cuts', async t => {
  const { store } = await against(t, answering((_, socket) => socket.destroy()));
  await allFail(t, store);
});

test('a store that is no store', async t => {
  const { store } = await against(t, answering((_, socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')));
  await t.rejects(put(store, 'k', bytesOf(10)), WRITE);
  await t.rejects(store.list('media', '', 10), READ);
});

test('redirects are not followed, and messages of a store are not passed on', async t => {
  const elsewhere = createServer(() => t.fail('it went there')).listen(0, '127.0.0.1');
  t.teardown(() => elsewhere.close());
  await once(elsewhere, 'listening');
  const { port } = elsewhere.address() as { port: number };
  const body = '<Error><Code>PermanentRedirect</Code><Message>s3cret place</Message></Error>';
  const { store } = await against(t, answering((_, socket) =>
    socket.end(`HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1:${port}/media/k\r\nContent-Length: ${body.length}\r\n\r\n${body}`)));
  await allFail(t, store);
  await store.list('media', '', 10).catch((error: unknown) => t.notMatch(JSON.stringify(error) + String(error), /s3cret|AKID|Redirect/));
});

function headOf(size: number): string {
  return `HTTP/1.1 200 OK\r\nETag: "e"\r\nContent-Length: ${size}\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n\r\n`;
}

async function reading(t: Test, body: (socket: Socket) => void): Promise<{ stream: Readable; gone: Promise<unknown> }> {
  const gone = Promise.withResolvers<undefined>();
  const { store } = await against(t, answering((head, socket) => {
    socket.write(headOf(1_000_000));
    if (!head.startsWith('GET')) return;
    socket.once('close', () => gone.resolve(undefined));
    body(socket);
  }));
  const opened = await store.open(PLACE);
  return { stream: await opened?.read() as Readable, gone: gone.promise };
}

test('an object that stops coming, or ends too early, is an error and no short object', async t => {
  const { stream: still, gone } = await reading(t, socket => void socket.write('x'.repeat(1000)));
  await t.rejects(still.toArray(), READ);
  await gone;
  const { stream: cut } = await reading(t, socket => void socket.write('x'.repeat(1000), () => socket.destroy()));
  await t.rejects(cut.toArray(), READ);
});

test('a client that leaves ends the connection to the store', async t => {
  const { stream, gone } = await reading(t, socket => void socket.write('x'.repeat(900_000)));
  await once(stream, 'readable');
  stream.destroy();
  await gone;
});

test('a part of which the store takes nothing is given up; nothing is kept of its memory', async t => {
  const { store } = await against(t, socket => void socket.pause());
  await t.rejects(put(store, 'k', bytesOf(4_000_000)), WRITE);
});

test('an access token that does not arrive, or does not end, delays no request', async t => {
  collectGarbage(t);
  const private_key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  for (const answer of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"access_token":']) {
    const open = new Set<Socket>();
    const server = createServer(socket => {
      open.add(socket.on('close', () => open.delete(socket)).on('error', () => undefined));
      socket.once('data', () => socket.write(answer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as { port: number };
    await t.rejects(accessTokens({ client_email: 'me@p.iam', private_key, token_uri: `http://127.0.0.1:${port}/` }, 300)(),
      /did not answer in time/);
    await allClosed(open);
  }
});
