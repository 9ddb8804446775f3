import { ApiError } from '../../error.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { Caller } from '../../identity/caller.ts';
import { allow, callerOf, queryOf } from './asked.ts';
import { readForm, type Fields, type FormFile } from './form.ts';
import { bucketName, canonicalKey, invalidKey } from './keys.ts';
import type { StorageOptions } from './options.ts';
import { receiveFile, type Destination, type ReceivedFile } from './received-file.ts';
import { largestLimit, requireAnnounced, requireType } from './source-limits.ts';
import { bucketOf, nameOf, type Source } from './sources.ts';

/** Stores the file of a form. With its key before it, a file is refused before its bytes arrive; the fields may also follow the file. */
export async function uploadFile(call: Call, options: StorageOptions): Promise<Reply> {
  const caller = await callerOf(call, options);
  const { sources, gate } = options;
  gate.requireWriter(caller);
  const { incoming } = call;
  requireAnnounced(incoming.length, largestLimit(sources));
  const storageId = queryOf(call).get('storageId') ?? undefined;
  let received: { file: FormFile; opening: Promise<ReceivedFile> } | undefined;
  try {
    const fields = await readForm(call.header('content-type'), incoming, (file, before) => {
      const early = before.has('key') ? { fields: before, destination: destinationOf(before, file) } : undefined;
      const opening = receiveFile({ sources, storageId, announced: incoming.length, early, asksAgain: gate.asksFunctions });
      received = { file, opening };
      return opening;
    });
    if (received === undefined) throw new ApiError(400, 'BAD_REQUEST', 'The form must have a file, in the field file.');
    return await store(fields, received.file, await received.opening);
  } catch (error) {
    await received?.opening.then(({ drop }) => drop(), () => undefined);
    throw error;
  }

  async function store(fields: Fields, file: FormFile, { destination, moveTo }: ReceivedFile): Promise<Reply> {
    const { source, place, kind } = await destination(fields, size => destinationOf(fields, file, size));
    const { size } = await moveTo(source.store, place, kind);
    const { key, bucket } = place;
    const { contentType } = kind;
    const event = { event: 'finalize', key, bucket: nameOf(source, bucket), storageId: source.key, size, contentType } as const;
    await gate.tell(caller, event, call.requestId);
    return { status: 201, body: JSON.stringify({ data: { key, bucket, storageUrl: `${SCHEMES[source.engine]}://${bucket}/${key}` } }) };
  }

  function destinationOf(fields: Fields, file: FormFile, size?: number): Promise<Destination> {
    return authorized({ fields, file, size, storageId, caller, options });
  }
}

const SCHEMES: Record<Source['engine'], string> = { local: 'local', s3: 's3', gcs: 'gs' };

type Asked = {
  fields: Fields; file: FormFile; size: number | undefined; storageId: string | undefined; caller: Caller; options: StorageOptions;
};

async function authorized({ fields, file, size, storageId, caller, options }: Asked): Promise<Destination> {
  const { sources } = options;
  const source = sources.resolve(fields.get('storageId')?.trim() || storageId);
  const bucket = bucketOf(source, bucketName(fields.get('bucket')), sources);
  const key = canonicalKey(fields.get('key') || file.name || 'unnamed');
  if (key === '' || key.endsWith('/')) throw invalidKey('The key must name a file.');
  requireType(source, file.type);
  const [collection, property] = [fields.get('collection')?.trim(), fields.get('property')?.trim()];
  const fileName = file.name ?? key.slice(key.lastIndexOf('/') + 1);
  const bound = await allow(options, caller, source, {
    operation: 'write', key, bucket: nameOf(source, bucket), contentType: file.type, fileName,
    ...(size === undefined ? { early: true } : { size }), ...(collection && property && { collection, property }),
  });
  return { source, place: { bucket, key }, kind: { contentType: file.type, custom: customOf(fields) }, bound };
}

const CUSTOM = 'metadata_';

function customOf(fields: Fields): Record<string, string> {
  const custom = [...fields].filter(([name]) => name.startsWith(CUSTOM));
  return Object.fromEntries(custom.map(([name, value]) => [name.slice(CUSTOM.length), value]));
}
