import { ApiError } from '../../error.ts';
import { type Sink } from '../../http/incoming.ts';
import { type Call, type Reply } from '../../http/route.ts';
import { type Caller } from '../../identity/caller.ts';
import { allow, callerOf, queryOf } from './asked.ts';
import { fileTaker, type Destination, type FileTaker } from './file-taker.ts';
import { formOf, type Fields, type FormFile } from './form.ts';
import { bucketName, canonicalKey, invalidKey } from './keys.ts';
import { type StorageOptions } from './options.ts';
import { largestLimit, requireAnnounced, requireType } from './source-limits.ts';
import { bucketOf, nameOf, type Source } from './sources.ts';

/** A form with a file. Its fields may stand before it, where it is refused before it comes, or after it. */
export async function uploadFile(call: Call, options: StorageOptions): Promise<Reply> {
  const caller = await callerOf(call, options);
  options.gate.requireWriter(caller);
  requireAnnounced(call.incoming.length, largestLimit(options.sources));
  const storageId = queryOf(call).get('storageId') ?? undefined;
  let taken: { file: FormFile; taker: FileTaker } | undefined;
  const form = formOf(call.header('content-type'), (file, before) => {
    const fields = new Map(before);
    const early = fields.has('key') ? { fields, destination: destinationOf(fields, file) } : undefined;
    const { sources, gate: { asksFunctions: asksAgain } } = options;
    taken = { file, taker: fileTaker({ sources, storageId, announced: call.incoming.length, early, asksAgain }) };
    return taken.taker;
  });
  const sink: Sink = {
    push(bytes) {
      form.push(bytes);
      return taken?.taker.isFree ?? true;
    },
    ready: () => taken?.taker.ready() ?? Promise.resolve(),
  };
  try {
    await call.incoming.into(sink);
    await form.end();
    if (taken === undefined) throw new ApiError(400, 'BAD_REQUEST', 'The form must have a file, in the field file.');
    return await finish(taken);
  } catch (error) {
    await taken?.taker.drop();
    throw error;
  }

  async function finish({ file, taker }: { file: FormFile; taker: FileTaker }): Promise<Reply> {
    const { source, place, kind } = await taker.destination(form.fields, size => destinationOf(form.fields, file, size));
    const { size } = await taker.moveTo(source.store, place, kind);
    const { key, bucket } = place;
    const { contentType } = kind;
    await options.gate.tell(caller, { event: 'finalize', key, bucket: nameOf(source, bucket), storageId: source.key, size, contentType });
    return { status: 201, body: JSON.stringify({ data: { key, bucket, storageUrl: `${SCHEMES[source.engine]}://${bucket}/${key}` } }) };
  }

  function destinationOf(fields: Fields, file: FormFile, size?: number): Promise<Destination> {
    return judged({ fields, file, size, storageId, caller, options });
  }
}

const SCHEMES: Record<Source['engine'], string> = { local: 'local', s3: 's3', gcs: 'gs' };

type Judged = {
  fields: Fields; file: FormFile; size: number | undefined; storageId: string | undefined; caller: Caller; options: StorageOptions;
};

async function judged({ fields, file, size, storageId, caller, options }: Judged): Promise<Destination> {
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
