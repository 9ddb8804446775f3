import busboy, { type FileInfo } from 'busboy';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ApiError } from '../../error.ts';
import { giveSlab, SLAB, takeSlab } from '../../blobs/slabs.ts';

export type Fields = ReadonlyMap<string, string>;
/** Takes what is in the file of the form. It is told of it with the fields that stand before it. */
export type FileSink = { push: (bytes: Uint8Array) => void };
export type FormFile = { name: string | undefined; type: string };

export type Form = {
  readonly fields: Fields;
  /** Takes the form's bytes in; what it throws, or `file` or its sink threw, refuses it. */
  push: (bytes: Uint8Array) => void;
  /** Resolves when the form is whole. @throws ApiError 400 BAD_REQUEST of one that is not. */
  end: () => Promise<void>;
};

/** Before a boundary, which is shorter than the header that tells it. */
const BREAK = '\r\n--';
const CR = 13;
const NOWHERE: FileSink = { push: () => undefined };

const LIMITS = { fieldSize: 16 * 1024, fieldNameSize: 256, fields: 100, parts: 200 };

/**
 * A form with one file, read as it comes (RFC 7578). The file's bytes are handed on at once: they are never kept.
 * @throws ApiError 415 UNSUPPORTED_MEDIA_TYPE, 400 BAD_REQUEST.
 */
export function formOf(contentType: string, file: (file: FormFile, fields: Fields) => FileSink): Form {
  if (!/^multipart\/form-data *;/i.test(contentType)) {
    throw new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Upload a form (Content-Type: multipart/form-data).');
  }
  const fields = new Map<string, string>();
  const parser = parserOf(contentType);
  let failure: unknown;
  let current: FileSink | undefined;
  let clear: FileSink | undefined; // the current one, while the parser holds nothing back

  parser.on('error', (error: unknown) => { failure ??= malformed(error); });
  parser.on('partsLimit', () => { failure ??= tooMuch(); }).on('fieldsLimit', () => { failure ??= tooMuch(); });
  parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
    if (name === undefined) failure ??= nameless();
    else if (valueTruncated) failure ??= tooMuch();
    else fields.set(name, value);
  });
  parser.on('file', (name: string | undefined, stream, info) => {
    if (name === undefined) failure ??= nameless();
    handOn(stream, (name === 'file' ? sinkOf(info) : undefined) ?? NOWHERE);
  });

  return { fields, push, end };

  function sinkOf({ filename, mimeType }: FileInfo): FileSink | undefined {
    if (fields.has('file')) return undefined;
    fields.set('file', '');
    return file({ name: filename, type: mimeType }, fields);
  }

  /** Past the stream's buffer, which would keep pieces of memory that is used again. */
  function handOn(stream: Readable, sink: FileSink): void {
    current = sink;
    stream.on('error', () => undefined); // the parser's own
    stream.push = piece => {
      if (piece !== null) {
        if (failure === undefined) attempt(() => { sink.push(piece as Uint8Array); });
        return true;
      }
      current = undefined;
      stream.resume();
      return Readable.prototype.push.call(stream, null);
    };
  }

  function attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      failure ??= error;
    }
  }

  function push(bytes: Uint8Array): void {
    const plain = clear === undefined ? 0 : givePlain(clear, bytes);
    for (let at = plain; at < bytes.length && failure === undefined; at += SLAB) parse(bytes.subarray(at, at + SLAB));
    refuse();
  }

  /** The file's bytes before all that could begin its end need no parser: it would look at each of them, of a copy. */
  function givePlain(sink: FileSink, bytes: Uint8Array): number {
    const length = untilBreak(bytes);
    if (length > 0) attempt(() => { sink.push(bytes.subarray(0, length)); });
    return length;
  }

  /** What is not of a file the parser keeps parts of, so that memory is not used again. */
  function parse(bytes: Uint8Array): void {
    const slab = takeSlab();
    slab.set(bytes);
    const before = current;
    attempt(() => void parser.write(slab.subarray(0, bytes.length)));
    if (before !== undefined && current === before) giveSlab(slab);
    clear = bytes.length > contentType.length && !bytes.subarray(-contentType.length).includes(CR) ? current : undefined;
  }

  async function end(): Promise<void> {
    refuse();
    const closed = once(parser, 'close').catch(malformedEnd);
    parser.end();
    await closed;
    refuse();
  }

  function malformedEnd(error: unknown): void {
    failure ??= malformed(error);
  }

  function refuse(): void {
    if (failure !== undefined) throw failure as Error;
  }
}

/** How many bytes stand before the first break that a boundary could follow, or whose rest is still to come. */
function untilBreak({ buffer, byteOffset, length }: Uint8Array): number {
  const bytes = Buffer.from(buffer, byteOffset, length);
  const found = bytes.indexOf(BREAK, 'latin1');
  if (found !== -1) return found;
  const last = bytes.subarray(1 - BREAK.length).indexOf(CR);
  return last === -1 ? length : Math.max(0, length - BREAK.length + 1) + last;
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
