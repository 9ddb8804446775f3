/** The floor of files: uWebSockets.js writes a body to a file, and sends the content of one, without authorization. */
import { closeSync, createReadStream, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as uws from 'uWebSockets.js';

const FOLDER = process.env['FOLDER'] ?? '';
/** As large as what the gateway answers at once. */
const SMALL = 64 * 1024;
const PIECE = 512 * 1024;

const app = uws.App();
app.patch('/file/:name', (response, request) => {
  const file = openSync(join(FOLDER, request.getParameter(0) ?? ''), 'w');
  response.onAborted(() => { closeSync(file); });
  response.onData((chunk, isLast) => {
    writeSync(file, new Uint8Array(chunk));
    if (!isLast) return;
    fsyncSync(file);
    closeSync(file);
    response.writeStatus('204 No Content').endWithoutBody();
  });
});
app.get('/file/:name', (response, request) => {
  const path = join(FOLDER, request.getParameter(0) ?? '');
  const left = new AbortController();
  response.onAborted(() => { left.abort(); });
  const { size } = statSync(path);
  void (size <= SMALL ? small(response, path, left.signal) : large(response, path, size, left.signal));
});
app.any('/*', response => { response.end(readFileSync(join(FOLDER, 'small'))); });
app.listen('127.0.0.1', Number(process.env['PORT']), () => undefined);
process.on('SIGTERM', () => process.exit());

async function small(response: uws.HttpResponse, path: string, left: AbortSignal): Promise<void> {
  const file = await open(path);
  const bytes = await file.readFile();
  await file.close();
  if (!left.aborted) response.cork(() => { response.end(bytes); });
}

async function large(response: uws.HttpResponse, path: string, size: number, left: AbortSignal): Promise<void> {
  for await (const piece of createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Buffer>) {
    if (left.aborted) return;
    const start = response.getWriteOffset();
    const sent = Promise.withResolvers<undefined>();
    left.onabort = () => { sent.resolve(undefined); };
    response.onWritable(offset => send(piece.subarray(offset - start)));
    response.cork(() => { send(piece); });
    await sent.promise;

    function send(rest: Buffer): boolean {
      const [isTaken] = response.tryEnd(rest, size);
      if (isTaken) sent.resolve(undefined);
      return isTaken;
    }
  }
}
