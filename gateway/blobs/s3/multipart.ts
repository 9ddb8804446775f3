import type { Bucket } from './bucket.ts';
import type { Headers } from './kind.ts';
import { noteKey, noteUpload } from './unfinished.ts';

/** An upload in parts, which begins when its first one is sent. */
export type Multipart = {
  uploadId: () => Promise<string>;
  /** @param number from 1. */
  send: (bytes: Buffer, number: number) => Promise<string>;
  /** When it is complete. */
  forget: () => Promise<void>;
};

/** `id` is of the folder where it is noted. */
type Begun = { id: string; key: string; headers: Headers; signal: AbortSignal; begun?: string | undefined };

export function beginMultipart(bucket: Bucket, { id, key, headers, signal, begun }: Begun): Multipart {
  let upload = begun === undefined ? undefined : Promise.resolve(begun);
  const note = noteKey(id);
  const uploadId = () => upload ??= begin();
  return {
    uploadId,
    send: async (bytes, number) => bucket.part(key, await uploadId(), number, bytes, signal),
    forget: () => bucket.remove(note),
  };

  async function begin(): Promise<string> {
    await noteUpload(bucket, note, { key });
    const uploadId = await bucket.create(key, headers);
    await noteUpload(bucket, note, { key, uploadId });
    return uploadId;
  }
}
