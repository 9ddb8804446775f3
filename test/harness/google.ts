import { createHash, createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, request as send, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SignatureV4 } from '@smithy/signature-v4';
import { jwtVerify } from 'jose';
import type { ObjectServer } from './swift.ts';

/**
 * Not Google Cloud Storage, which cannot be had here: its tokens, and the names of headers in its XML API, in front of a store that
 * speaks S3. It shows that what is sent has that form, and not what Google makes of it.
 */
export async function startGoogleForm(store: ObjectServer['env'], folder: string): Promise<{
  endpoint: string; keyFilename: string; stop: () => void;
}> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const issued = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    const answer = incoming.url === '/token' ? token(incoming, outgoing) : forward(incoming, outgoing);
    answer.catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const keyFilename = join(folder, 'key.json');
  writeFileSync(keyFilename, JSON.stringify({
    type: 'service_account', project_id: 'p', client_email: 'me@p.iam', token_uri: `${endpoint}/token`,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  }), { mode: 0o600 });
  return { endpoint, keyFilename, stop: () => server.close().closeAllConnections() };

  async function token(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const form = new URLSearchParams((await incoming.toArray()).join(''));
    await jwtVerify(form.get('assertion') ?? '', publicKey, { issuer: 'me@p.iam', audience: `${endpoint}/token` });
    const access_token = randomUUID();
    issued.add(access_token);
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify({ access_token, expires_in: 3600, token_type: 'Bearer' }));
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { authorization, ...others } = incoming.headers;
    if (!issued.has(authorization?.replace('Bearer ', '') ?? '')) return void outgoing.writeHead(401).end();
    if (Object.keys(others).some(name => name.startsWith('x-amz-'))) return void outgoing.writeHead(400).end();
    const { hostname, port } = new URL(store.S3_ENDPOINT);
    const { pathname, searchParams } = new URL(incoming.url ?? '/', store.S3_ENDPOINT);
    const signed = await signer(store).sign({
      method: incoming.method ?? '', protocol: 'http:', hostname, port: Number(port), path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...renamed(others, 'x-goog-', 'x-amz-'), host: `${hostname}:${port}`, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    });
    const request = send({ hostname, port, method: incoming.method, path: incoming.url, headers: signed.headers });
    outgoing.once('close', () => request.destroy());
    const [response] = await Promise.all([once(request, 'response') as Promise<[IncomingMessage]>, pipeline(incoming, request)]);
    outgoing.writeHead(response[0].statusCode ?? 500, renamed(response[0].headers, 'x-amz-', 'x-goog-'));
    await pipeline(response[0], outgoing);
  }
}

function renamed(headers: IncomingHttpHeaders, from: string, to: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) =>
    [name.startsWith(from) ? to + name.slice(from.length) : name, String(value)]));
}

function signer({ S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY }: ObjectServer['env']): SignatureV4 {
  return new SignatureV4({
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY }, region: 'us-east-1', service: 's3',
    uriEscapePath: false, applyChecksum: false, sha256: Sha256,
  });
}

class Sha256 {
  #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Buffer);
  }
  update(bytes: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytes as Buffer);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {
    // used once
  }
}
