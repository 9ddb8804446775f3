import busboy, { type FileInfo } from 'busboy';
import { Writable, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../error.ts';
import { giveSlab } from '../../process/slabs.ts';
import type { Sink } from '../../blobs/store.ts';

export type Fields = ReadonlyMap<string, string>;
export type FormFile = { name: string | undefined; type: string };
/** Called with the file of the form and the fields before it. Returns the sink for the file. */
export type OpenFile = (file: FormFile, before: Fields) => Promise<Sink>;

/** Pieces of a body that are remembered for reuse: more than the streams between the parser and the sink hold. */
const REMEMBERED = 8;

const LIMITS = { fieldSize: 16 * 1024, fieldNameSize: 256, fields: 100, parts: 200 };

/**
 * Reads a form with one file (RFC 7578). The bytes of the file go to its sink as they arrive. Resolves with the fields when the form is
 * complete and the sink has every byte.
 * @throws ApiError 415 UNSUPPORTED_MEDIA_TYPE, 400 BAD_REQUEST, and the errors of `openFile`, of its sink and of the body.
 */
export async function readForm(contentType: string, body: AsyncIterable<Buffer>, openFile: OpenFile): Promise<Fields> {
  if (!/^multipart\/form-data *;/i.test(contentType)) {
    throw new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Upload a form (Content-Type: multipart/form-data).');
  }
  const fields = new Map<string, string>();
  const parser = parserOf(contentType);
  const { promise: refused, reject } = Promise.withResolvers<never>();
  const pieces: Buffer[] = [];
  let file: Promise<void> | undefined;

  parser.on('error', () => undefined); // reported by the pipeline; a sink may also fail after the parser has finished
  parser.on('partsLimit', () => refuse(tooMuch())).on('fieldsLimit', () => refuse(tooMuch()));
  parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
    if (name === undefined) refuse(nameless());
    else if (valueTruncated) refuse(tooMuch());
    else fields.set(name, value);
  });
  parser.on('file', (name: string | undefined, stream, info) => {
    if (name === undefined) refuse(nameless());
    stream.on('error', () => undefined); // the parser's own error, which ends the parser too
    if (name !== 'file' || file !== undefined) return stream.resume();
    file = takeFile(stream, info);
    file.catch(() => undefined); // awaited when the form is complete
  });
  await Promise.race([refused, parsed()]); // a refusal does not wait for the client's next bytes
  return fields;

  async function parsed(): Promise<void> {
    await pipeline(remembered(), parser).catch((error: unknown) => { throw malformed(error); });
    await file;
  }

  async function* remembered(): AsyncGenerator<Buffer, void> {
    try {
      for await (const piece of body) {
        pieces.push(piece);
        if (pieces.length > REMEMBERED) pieces.shift(); // of a part that is skipped: left to the garbage collector
        yield piece;
      }
    } catch (error) {
      refuse(error);
      throw error;
    }
  }

  async function takeFile(stream: Readable, { filename, mimeType }: FileInfo): Promise<void> {
    const opening = openFile({ name: filename, type: mimeType }, new Map(fields));
    opening.catch(refuse);
    await pipeline(stream, new Writable({
      write(part: Buffer, _, done) {
        opening.then(sink => sink.write(part)).then(() => {
          releaseBefore(part);
          done();
        }, (error: unknown) => {
          refuse(error);
          done(error as Error);
        });
      },
    }));
    await opening;
  }

  /** Reuses the memory of the pieces before the one of this part: the parser is past them, and the sink has their bytes. */
  function releaseBefore({ buffer }: Uint8Array): void {
    const index = pieces.findIndex(piece => piece.buffer === buffer);
    if (index > 0) pieces.splice(0, index).forEach(giveSlab);
  }

  function refuse(error: unknown): void {
    reject(error);
    parser.destroy(error as Error);
  }
}

function parserOf(contentType: string): busboy.Busboy {
  try {
    return busboy({ headers: { 'content-type': contentType }, defParamCharset: 'utf8', limits: LIMITS });
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(cause: unknown): ApiError {
  return new ApiError(400, 'BAD_REQUEST', 'The form is malformed, or has no end.', undefined, { cause });
}

/** RFC 7578, section 4.2: each part has a name. */
function nameless(): ApiError {
  return new ApiError(400, 'BAD_REQUEST', 'A part of the form has no name.');
}

function tooMuch(): ApiError {
  const { fields, fieldSize } = LIMITS;
  return new ApiError(400, 'BAD_REQUEST', `A form has at most ${fields} fields beside its file, each of at most ${fieldSize} bytes.`);
}
