import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { ApiError } from '../../error.ts';

/** In milliseconds. */
export type Deadlines = {
  /** Until there is a connection. */
  connect: number;
  /** Until an answer begins, of a request that sends nothing large. */
  answer: number;
  /** Without a byte more, where bytes are sent or read. */
  progress: number;
  /** For the whole of what sends a part, or makes an object of parts. */
  whole: number;
};
export const DEADLINES: Deadlines = { connect: 5_000, answer: 15_000, progress: 20_000, whole: 600_000 };

/** Two clients, so that slow readers leave connections to others. */
export type Connection = { ask: S3Client; read: S3Client; deadlines: Deadlines; close: () => void };

type Account = {
  region: string; accessKeyId: string; secretAccessKey: string; endpoint: string | undefined; forcePathStyle: boolean;
};

const CONNECTIONS = 64;
const READERS = 512;

/** The SDK's own checksums come as aws-chunked, which other stores than Amazon's refuse. */
export function connect(config: S3ClientConfig, deadlines: Deadlines = DEADLINES): Connection {
  const common: S3ClientConfig = {
    maxAttempts: 2, requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED', ...config,
  };
  const handler = (maxSockets: number, socketTimeout: number) => ({
    connectionTimeout: deadlines.connect, socketTimeout, httpAgent: new Agent({ keepAlive: true, maxSockets }),
    httpsAgent: new SecureAgent({ keepAlive: true, maxSockets }),
  });
  const ask = new S3Client({ ...common, requestHandler: handler(CONNECTIONS, deadlines.progress) });
  // A slow reader keeps the connection idle, so the time is counted only while a reader waits for bytes.
  const read = new S3Client({ ...common, requestHandler: handler(READERS, 0) });
  return {
    ask, read, deadlines,
    close() {
      ask.destroy();
      read.destroy();
    },
  };
}

export function connectS3({ region, accessKeyId, secretAccessKey, endpoint, forcePathStyle }: Account, deadlines?: Deadlines): Connection {
  const credentials = { accessKeyId, secretAccessKey };
  return connect({ region, credentials, forcePathStyle, ...(endpoint !== undefined && { endpoint }) }, deadlines);
}

export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket';
}

/** Another object is there than the one that was asked for. */
export function isReplaced(error: unknown): boolean {
  return statusOf(error) === 412;
}

export function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode;
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** 502 STORAGE_WRITE_FAILED. */
export function writeFailed(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(502, 'STORAGE_WRITE_FAILED', 'The file could not be stored.', undefined, { cause: plain(error) });
}

/** 503 SERVICE_UNAVAILABLE. */
export function readFailed(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(503, 'SERVICE_UNAVAILABLE', 'The file store could not answer. Try again.', undefined, { cause: plain(error) });
}

/** For the log: the SDK's errors carry the whole answer, and its headers. */
function plain(error: unknown): Error {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: { message?: string } };
  const parts = [nameOf(error), code, statusOf(error), message, cause?.message];
  return new Error(`The file store: ${parts.filter(part => part !== undefined && part !== '').join(', ')}`);
}
