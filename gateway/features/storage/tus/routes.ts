import { randomUUID } from 'node:crypto';
import { ApiError } from '../../../error.ts';
import type { Call, Method, Reply, Route } from '../../../http/route.ts';
import type { Caller } from '../../../identity/caller.ts';
import { requireOfKey } from '../../../identity/permissions.ts';
import type { Upload } from '../../../blobs/resumable.ts';
import type { Place } from '../../../blobs/store.ts';
import { allow, callerOf } from '../asked.ts';
import { bucketName, canonicalKey, invalidKey } from '../keys.ts';
import { requireType, resumableLimit, tooLarge } from '../source-limits.ts';
import { bucketOf, sourceKey, type Source } from '../sources.ts';
import { append, tooLong } from './append.ts';
import { drop, finish, sourceGone, sourceOf, writeOf } from './finish.ts';
import { overtaken, type Holders } from './holders.ts';
import { locationOf } from './location.ts';
import { parseMetadata, typeOf, type Metadata } from './metadata.ts';
import type { Owner, Uploads } from './uploads.ts';
import type { Config } from '../../config.ts';
import type { StorageOptions } from '../options.ts';

type TusOptions = Omit<StorageOptions, 'tokens' | 'renditions'> & {
  config: Pick<Config, 'basePath' | 'publicUrl' | 'trustedProxyHops' | 'authRequire'>;
  uploads: Uploads;
  holders: Holders;
};

type Destination = { source: Source; place: Place; contentType: string };

const PATH = '/storage/tus';
const VERSION = '1.0.0';
const PIECE = 'application/offset+octet-stream';

/** Uploads that go on after a break: tus 1.0.0 with creation and termination (https://tus.io/protocols/resumable-upload). */
export function tusRoutes(options: TusOptions): Route[] {
  const { config, sources, gate, uploads, holders, publicRead } = options;
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
    const largest = String(limitOf(sourceIn(query)));
    return { status: 204, headers: { 'Tus-Version': VERSION, 'Tus-Extension': 'creation,termination', 'Tus-Max-Size': largest } };
  }

  function limitOf(storageId: string | undefined): number {
    return resumableLimit(sources.served.find(({ key }) => key === sourceKey(storageId)));
  }

  async function create(call: Call): Promise<Reply> {
    const by = await callerOf(call, options);
    gate.requireWriter(by);
    const length = lengthOf(call.header('upload-length'));
    const header = call.header('upload-metadata');
    const metadata = parseMetadata(header);
    const storageId = metadata.storageId?.trim() || sourceIn(call.query);
    if (length > limitOf(storageId)) throw tooLarge(limitOf(storageId));
    const id = randomUUID();
    const { source, place, contentType } = destination(metadata, storageId, id);
    await allow(options, by, source, writeOf({ ...place, length, contentType, metadata: header }, source));
    const upload = source.store.uploads.begin(id, place, { contentType, custom: {} }, length);
    const creator = by.kind === 'anonymous' ? null : { uid: by.uid, roles: by.roles };
    await uploads.create({ upload, source: source.key, creator, metadata: header });
    const location = locationOf(call, `${config.basePath}${PATH}/${id}`, config);
    return { status: 201, headers: { Location: location, 'Upload-Offset': '0' } };
  }

  function destination(metadata: Metadata, storageId: string | undefined, id: string): Destination {
    const key = canonicalKey(metadata.key || metadata.filename || id);
    if (key === '' || key.endsWith('/')) throw invalidKey('The key must name a file.');
    const bucket = bucketName(metadata.bucket);
    const source = sources.resolve(storageId);
    const contentType = typeOf(metadata);
    const place = { bucket: bucketOf(source, bucket, sources), key };
    requireType(source, contentType);
    return { source, place, contentType };
  }

  /**
   * A client continues from the offset in the answer, so the current sender is ended first and its bytes are counted. A client also takes a
   * complete upload for finished, so an unfinished one is finished now.
   */
  async function show(call: Call): Promise<Reply> {
    const by = await callerOf(call, options);
    const row = await mine(call, by, uploads.show);
    const isAtRest = row.finished || (row.holder === null && row.received < row.length);
    const offset = isAtRest ? row.received : await settled(row.id, by, call.requestId);
    return { headers: {
      'Upload-Offset': String(offset), 'Upload-Length': String(row.length), 'Cache-Control': 'no-store',
      ...(row.metadata.trim() !== '' && { 'Upload-Metadata': row.metadata }),
    } };
  }

  async function settled(id: string, by: Caller, requestId: string): Promise<number> {
    const { row, hold } = await holders.hold(id, null);
    if (hold === undefined) return !row.finished && row.received === row.length ? settled(id, by, requestId) : row.received;
    if (hold.upload.offset === row.length) await finish(by, row, hold, hold.upload, { ...options, requestId });
    else await hold.release(hold.upload);
    return hold.upload.offset;
  }

  async function goOn(call: Call): Promise<Reply> {
    const by = await callerOf(call, options);
    const { row, hold } = await mine(call, by, holders.hold);
    if (row.finished) throw badRequest('This upload is complete.');
    if (hold === undefined) throw overtaken();
    const source = sourceOf(row, sources);
    const refusal = refusalOf(call, hold.upload);
    if (refusal !== undefined || source === undefined) {
      await hold.release(hold.upload);
      throw refusal ?? sourceGone();
    }
    const upload = await append(call.incoming, hold, source.store.uploads);
    if (upload.offset === upload.length) await finish(by, row, hold, upload, { ...options, requestId: call.requestId });
    return { status: 204, headers: { 'Upload-Offset': String(upload.offset) } };
  }

  /** The file of one that is finished stays: nothing but the upload is forgotten. */
  async function remove(call: Call): Promise<Reply> {
    const { row, hold } = await mine(call, await callerOf(call, options), holders.hold);
    if (row.finished) await uploads.remove(row.id, row.id);
    else if (hold === undefined) throw overtaken();
    else await drop(hold, sourceOf(row, sources));
    return { status: 204 };
  }

  /**
   * Finds an upload that the caller may use.
   * @throws ApiError 404 NOT_FOUND for the upload of another caller; 401 UNAUTHORIZED instead for a client that would have to sign in.
   */
  async function mine<Found>(call: Call, by: Caller, find: (id: string, asker: Owner) => Promise<Found>): Promise<Found> {
    const id = call.params['id'] ?? '';
    try {
      if (by.kind === 'key') requireOfKey(by, 'storage:write', (await uploads.show(id, by.uid)).source);
      return await find(id, isTrusted(by) ? null : by.uid);
    } catch (error) {
      throw by.kind === 'anonymous' && !mayBeNobody(call.method) ? signIn() : error;
    }
  }

  /** As far as nothing else speaks against it. */
  function mayBeNobody(method: Method): boolean {
    return method === 'GET' || method === 'HEAD' ? publicRead || !config.authRequire : !publicRead && !config.authRequire;
  }
}

/** The service key, and people who are admins. A key has the rights of its scopes, not of its roles. */
function isTrusted({ kind, roles }: Caller): boolean {
  return kind === 'service' || (kind === 'user' && roles.includes('admin'));
}

/** The first reason to reject this piece, in this order. */
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

function sourceIn(query: string): string | undefined {
  return new URLSearchParams(query).get('storageId') ?? undefined;
}

function signIn(): ApiError {
  return new ApiError(401, 'UNAUTHORIZED', 'Sign in to use this route.');
}

function badRequest(message: string): ApiError {
  return new ApiError(400, 'BAD_REQUEST', message);
}
