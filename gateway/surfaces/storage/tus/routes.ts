import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../error.ts';
import { type Call, type Reply, type Route } from '../../../http/route.ts';
import { type Caller } from '../../../identity/caller.ts';
import { requireOfKey } from '../../../identity/permissions.ts';
import { type Resumable, type Upload } from '../../../objects/resumable.ts';
import { append, complete, tooLong } from './append.ts';
import { overtaken, type Hold } from './holders.ts';
import { locationOf } from './location.ts';
import { parseMetadata, typeOf } from './metadata.ts';
import { type TusOptions } from './options.ts';
import { type Owner, type UploadRow } from './uploads.ts';

const PATH = '/storage/tus';
const VERSION = '1.0.0';
/** Bytes, whatever the source. */
const LARGEST = 5 * 1024 ** 3;
const PIECE = 'application/offset+octet-stream';

/** Uploads that go on after a break: tus 1.0.0 with creation and termination (https://tus.io/protocols/resumable-upload). */
export function tusRoutes({ config, callerOf, mayBeNobody, gate, uploads, holders, sources }: TusOptions): Route[] {
  const routes: Route[] = [
    { method: 'OPTIONS', path: PATH, handle: offer },
    { method: 'POST', path: PATH, handle: create },
    { method: 'GET', path: `${PATH}/:id`, handle: show },
    { method: 'PATCH', path: `${PATH}/:id`, receives: true, handle: goOn },
    { method: 'DELETE', path: `${PATH}/:id`, handle: remove },
  ];
  return routes.map(route => ({ ...route, handle: call => {
    call.answerHeaders['Tus-Resumable'] = VERSION;
    return route.handle(call);
  } }));

  function offer({ query }: Call): Reply {
    const largest = String(largestOf(sourceIn(query)));
    return { status: 204, headers: { 'Tus-Version': VERSION, 'Tus-Extension': 'creation,termination', 'Tus-Max-Size': largest } };
  }

  function largestOf(storageId: string): number {
    return Math.min(LARGEST, sources.maxFileSize(storageId) ?? LARGEST);
  }

  async function create(call: Call): Promise<Reply> {
    const by = await callerOf(call);
    const length = lengthOf(call.header('upload-length'));
    const header = call.header('upload-metadata');
    const metadata = parseMetadata(header);
    const { filename, bucket, storageId = sourceIn(call.query), collection, property } = metadata;
    const largest = largestOf(storageId);
    if (length > largest) throw new ApiError(413, 'PAYLOAD_TOO_LARGE', `An upload has at most ${largest} bytes.`, { limit: largest });
    const id = randomUUID();
    const contentType = typeOf(metadata);
    const to = sources.destination({ key: metadata.key || filename || id, bucket, storageId, contentType });
    requireOfKey(by, 'storage:write', to.source);
    await gate.allow(by, {
      operation: 'write', key: to.place.key, storageId: to.source, size: length, contentType,
      ...(bucket && { bucket }), ...(filename && { fileName: filename }), ...(collection && { collection }), ...(property && { property }),
    });
    const upload = to.store.begin(id, to.place, { contentType, custom: {} }, length);
    const creator = by.kind === 'anonymous' ? null : { uid: by.uid, roles: by.roles };
    await uploads.create({ upload, source: to.source, creator, metadata: header });
    const location = locationOf(call, `${config.basePath}${PATH}/${id}`, config);
    return { status: 201, headers: { Location: location, 'Upload-Offset': '0' } };
  }

  /** Whoever asks goes on from what he is told. So who still sends is ended first, and what came of that is counted. */
  async function show(call: Call): Promise<Reply> {
    const row = await mine(call, uploads.show);
    const isHeld = row.holder !== null && row.received < row.length && !row.finished;
    const offset = isHeld ? await settled(row) : row.received;
    return { headers: {
      'Upload-Offset': String(offset), 'Upload-Length': String(row.length), 'Cache-Control': 'no-store',
      ...(row.metadata.trim() !== '' && { 'Upload-Metadata': row.metadata }),
    } };
  }

  /**
   * What somebody may do something with.
   * @throws ApiError 404 NOT_FOUND for what is another's; 401 UNAUTHORIZED instead to whoever would have to sign in.
   */
  async function mine<Found>(call: Call, find: (id: string, asker: Owner) => Promise<Found>): Promise<Found> {
    const by = await callerOf(call);
    const id = call.params['id'] ?? '';
    try {
      if (by.kind === 'key') requireOfKey(by, 'storage:write', (await uploads.show(id, by.uid)).source);
      return await find(id, isTrusted(by) ? null : by.uid);
    } catch (error) {
      if (by.kind !== 'anonymous' || mayBeNobody(call.method)) throw error;
      throw new ApiError(401, 'UNAUTHORIZED', 'Sign in to use this route.');
    }
  }

  async function settled({ id }: UploadRow): Promise<number> {
    const { row, hold } = await holders.hold(id, null);
    if (hold === undefined) return row.received;
    await hold.release(hold.upload);
    return hold.upload.offset;
  }

  async function goOn(call: Call): Promise<Reply> {
    const { row, hold } = await mine(call, holders.hold);
    if (row.finished) throw badRequest('This upload is complete.');
    if (hold === undefined) throw overtaken();
    const store = sources.storeOf(row.source);
    const refusal = refusalOf(call, hold.upload);
    if (refusal !== undefined || store === undefined) {
      await hold.release(hold.upload);
      throw refusal ?? sourceGone();
    }
    const upload = await append(call.incoming, hold, store);
    if (upload.offset === upload.length) await finish(call, row, { upload, hold, store });
    return { status: 204, headers: { 'Upload-Offset': String(upload.offset) } };
  }

  type Whole = { upload: Upload; hold: Hold; store: Resumable };

  async function finish(call: Call, { source, creator }: UploadRow, { upload, hold, store }: Whole): Promise<void> {
    await complete(upload, hold, store);
    const { place, kind, length } = upload;
    await gate.tell(await callerOf(call), {
      event: 'finalize', key: place.key, bucket: place.bucket, storageId: source, size: length, contentType: kind.contentType, user: creator,
    });
  }

  /** The file of one that is finished stays: nothing but the upload is forgotten. */
  async function remove(call: Call): Promise<Reply> {
    const { row, hold } = await mine(call, holders.hold);
    if (row.finished) await uploads.remove(row.id, row.id);
    else if (hold === undefined) throw overtaken();
    else await drop(row, hold);
    return { status: 204 };
  }

  async function drop({ source }: UploadRow, hold: Hold): Promise<void> {
    try {
      await sources.storeOf(source)?.discard(hold.upload);
    } catch (error) {
      await hold.release(hold.upload);
      throw error;
    }
    await hold.remove();
  }
}

/** The service key, and people who are admins. A key does what its scopes say, whatever its roles. */
function isTrusted({ kind, roles }: Caller): boolean {
  return kind === 'service' || (kind === 'user' && roles.includes('admin'));
}

/** Of a piece that is not to be taken, in this order. */
function refusalOf(call: Call, { offset, length }: Upload): ApiError | undefined {
  const sent = call.header('upload-offset');
  if (!/^\d+$/.test(sent)) return badRequest('Upload-Offset is missing, or no number of bytes.');
  if (Number(sent) !== offset) return new ApiError(409, 'CONFLICT', `This upload is at ${offset}.`, { offset });
  const [type = ''] = call.header('content-type').split(';');
  if (type.trim().toLowerCase() !== PIECE) return new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE', `A piece of an upload is ${PIECE}.`);
  return (call.incoming.length ?? 0) > length - offset ? tooLong() : undefined;
}

function lengthOf(header: string): number {
  const length = Number(header);
  if (!/^\d+$/.test(header) || length === 0) throw badRequest('Upload-Length is missing, or no number of bytes above 0.');
  return length;
}

function sourceIn(query: string): string {
  return new URLSearchParams(query).get('storageId') ?? '';
}

function badRequest(message: string): ApiError {
  return new ApiError(400, 'BAD_REQUEST', message);
}

function sourceGone(): ApiError {
  return new ApiError(503, 'STORAGE_NOT_CONFIGURED', 'The source that this upload is for is not there any more.');
}
