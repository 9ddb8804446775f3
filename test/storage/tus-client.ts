// The requests of tus by hand, and connections that break off where a test wants it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { SERVICE_KEY, type TestService } from '../harness/service.ts';

type Server = Pick<TestService, 'address' | 'account'>;
export type TusOptions = { as?: string | null; headers?: Record<string, string>; body?: string | Uint8Array; query?: string };
export type Metadata = Record<string, string>;

export const PIECE = 'application/offset+octet-stream';

export function metadata(values: Metadata): string {
  return Object.entries(values).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`).join(',');
}

/** One request below `/api/storage/tus`, or to an address that the service gave. */
export async function tus(
  service: Server, method: string, id = '', { as = SERVICE_KEY, headers = {}, body, query = '' }: TusOptions = {},
): Promise<Response> {
  if (as !== null) await service.account(as);
  const url = id.includes('://')
    ? new URL(new URL(id).pathname, service.address).href
    : `${service.address}/api/storage/tus${id === '' ? '' : `/${id}`}${query}`;
  const credential = as === null ? {} : { authorization: `Bearer ${as}` };
  return fetch(url,
    { method, headers: { 'tus-resumable': '1.0.0', ...credential, ...headers }, ...(body !== undefined && { body: body as string }) });
}

/** Begins an upload; its address. */
export async function begin(service: Server, length: number, values: Metadata, options: TusOptions = {}): Promise<string> {
  const { headers } = await tus(service, 'POST', '',
    { ...options, headers: { 'upload-length': String(length), 'upload-metadata': metadata(values), ...options.headers } });
  return headers.get('location') ?? '';
}

export function piece(service: Server, id: string, offset: number, body: string | Uint8Array, options: TusOptions = {}): Promise<Response> {
  return tus(service, 'PATCH', id,
    { ...options, body, headers: { 'upload-offset': String(offset), 'content-type': PIECE, ...options.headers } });
}

/** As HEAD tells it; -1 without one. */
export async function offsetOf(service: Server, id: string, options: TusOptions = {}): Promise<number> {
  return Number((await tus(service, 'HEAD', id, options)).headers.get('upload-offset') ?? -1);
}

export type Sender = {
  socket: Socket;
  /** The text that the server has sent so far. */
  heard: () => string;
  /** Resolves when the connection is over, from whatever side. */
  closed: Promise<unknown>;
};

/** A PATCH of which `sent` goes out, however much its head announces. */
export async function rawPiece(
  service: Server, id: string, offset: number, { announced, sent, as = SERVICE_KEY }: { announced: number; sent: Uint8Array; as?: string },
): Promise<Sender> {
  const { hostname, port } = new URL(service.address);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  let text = '';
  socket.on('data', bytes => { text += bytes.toString(); });
  const head = [
    `PATCH ${new URL(id).pathname} HTTP/1.1`, `Host: ${hostname}:${port}`, `Authorization: Bearer ${as}`, 'Tus-Resumable: 1.0.0',
    `Upload-Offset: ${offset}`, `Content-Type: ${PIECE}`, `Content-Length: ${announced}`, '', '',
  ].join('\r\n');
  socket.write(Buffer.concat([Buffer.from(head), sent])); // the holder has read the bytes that came with the head
  // Not `once`, which rejects where the connection is reset: it may be.
  return { socket, heard: () => text, closed: new Promise(resolve => { socket.once('close', resolve); }) };
}
