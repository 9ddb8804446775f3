import {
  AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CreateMultipartUploadCommand, DeleteObjectCommand, GetObjectCommand,
  HeadObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command, PutObjectCommand, UploadPartCommand,
  type HeadObjectCommandOutput, type ListObjectsV2CommandInput, type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { isMissing, nameOf, statusOf, type Connection } from './connection.ts';
import type { Headers } from './kind.ts';

/** The requests that are made of a bucket, each with its deadline. They reject with the SDK's errors. */
export type Bucket = {
  name: string;
  head: (key: string) => Promise<HeadObjectCommandOutput | undefined>;
  /** Its body, of that version alone. @param range `bytes=0-9` */
  get: (key: string, etag?: string, range?: string) => Promise<Readable>;
  list: (input: Omit<ListObjectsV2CommandInput, 'Bucket'>) => Promise<ListObjectsV2CommandOutput>;
  /** The new version. */
  put: (key: string, bytes: Uint8Array, headers: Partial<Headers>, signal?: AbortSignal) => Promise<string>;
  remove: (key: string) => Promise<void>;
  /** The id of an upload in parts. */
  create: (key: string, headers: Headers) => Promise<string>;
  /** Uploads in parts of that key that are not finished. */
  begun: (key: string) => Promise<{ uploadId: string; since: Date }[]>;
  part: (key: string, uploadId: string, number: number, bytes: Uint8Array, signal?: AbortSignal) => Promise<string>;
  /** @param etags of its parts, from the first. */
  complete: (key: string, uploadId: string, etags: readonly string[]) => Promise<string>;
  /** A missing upload counts as aborted. */
  abort: (key: string, uploadId: string) => Promise<void>;
};

export function openBucket({ ask, read, deadlines }: Connection, name: string): Bucket {
  const soon = () => ({ abortSignal: AbortSignal.timeout(deadlines.answer) });
  const slow = (signal?: AbortSignal) => {
    const whole = AbortSignal.timeout(deadlines.whole);
    return { abortSignal: signal === undefined ? whole : AbortSignal.any([whole, signal]) };
  };
  const at = (Key: string) => ({ Bucket: name, Key });
  return {
    name,
    async head(key) {
      try {
        return await ask.send(new HeadObjectCommand(at(key)), soon());
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    get: async (key, etag, range) => {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), deadlines.answer);
      try {
        const input = { ...at(key), ...(etag !== undefined && { IfMatch: etag }), ...(range !== undefined && { Range: range }) };
        const { Body } = await read.send(new GetObjectCommand(input), { abortSignal: late.signal });
        return Body as Readable;
      } finally {
        clearTimeout(timer);
      }
    },
    list: input => ask.send(new ListObjectsV2Command({ ...input, Bucket: name }), soon()),
    async put(key, bytes, headers, signal) {
      const { ETag } = await ask.send(new PutObjectCommand({ ...at(key), ...headers, Body: bytes }), slow(signal));
      return given(ETag, 'ETag');
    },
    async remove(key) {
      await ask.send(new DeleteObjectCommand(at(key)), soon()).catch(unlessMissing);
    },
    async create(key, headers) {
      const { UploadId } = await ask.send(new CreateMultipartUploadCommand({ ...at(key), ...headers }), soon());
      return given(UploadId, 'upload id');
    },
    async begun(key) {
      const { Uploads = [] } = await ask.send(new ListMultipartUploadsCommand({ Bucket: name, Prefix: key, EncodingType: 'url' }), soon());
      const ofKey = Uploads.filter(({ Key }) => Key !== undefined && decoded(Key) === key);
      return ofKey.map(({ UploadId, Initiated }) => ({ uploadId: given(UploadId, 'upload id'), since: given(Initiated, 'time') }));
    },
    async part(key, UploadId, PartNumber, Body, signal) {
      const { ETag } = await ask.send(new UploadPartCommand({ ...at(key), UploadId, PartNumber, Body }), slow(signal));
      return given(ETag, 'ETag');
    },
    async complete(key, uploadId, etags) {
      const Parts = etags.map((ETag, n) => ({ ETag, PartNumber: n + 1 }));
      const command = new CompleteMultipartUploadCommand({ ...at(key), UploadId: uploadId, MultipartUpload: { Parts } });
      const { ETag } = await ask.send(command, slow());
      return given(ETag, 'ETag');
    },
    async abort(key, uploadId) {
      await ask.send(new AbortMultipartUploadCommand({ ...at(key), UploadId: uploadId }), soon()).catch(unlessMissing);
    },
  };
}

/** XML has no way to say some of what a key may be. */
export function decoded(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}

function given<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`it answered without an ${what}`);
  return value;
}

function unlessMissing(error: unknown): void {
  if (statusOf(error) !== 404 || nameOf(error) === 'NoSuchBucket') throw error;
}
