import type { Route, Call, Reply } from '../../http/route.ts';
import { deleteFile } from './delete.ts';
import { readFile } from './file.ts';
import { makeFolder } from './folder.ts';
import { listFiles } from './list.ts';
import { readMetadata } from './metadata.ts';
import type { StorageOptions } from './options.ts';
import { uploadFile } from './upload.ts';
import { privateReply } from '../../http/private-reply.ts';

export function storageRoutes(options: StorageOptions): Route[] {
  return [
    { method: 'POST', path: '/storage/upload', receives: true, handle: call => uploadFile(call, options) },
    ...belowPath({ method: 'GET', path: '/storage/file', handle: call => readFile(call, options) }),
    ...belowPath({ method: 'DELETE', path: '/storage/file', handle: call => deleteFile(call, options) }),
    ...belowPath({ method: 'GET', path: '/storage/metadata', handle: call => readMetadata(call, options) }),
    { method: 'GET', path: '/storage/list', handle: call => listFiles(call, options) },
    { method: 'POST', path: '/storage/folder', admit: options.anyCaller, handle: call => makeFolder(call, options) },
    { method: 'GET', path: '/storage/sources', handle: call => listSources(call, options) },
  ];
}

/** Every key, and none. A key's percent-encoding is read where it is known as a key. */
function belowPath(route: Route): Route[] {
  return ['', '/', '/*'].map(rest => ({ ...route, path: route.path + rest, verbatim: true }));
}

/** Lists the sources of files, for every caller that may use the API. */
async function listSources(call: Call, { caller, counted, sources }: StorageOptions): Promise<Reply> {
  await counted(call, await caller(call));
  const data = sources.all.map(({ key, engine, label }) => ({ key, engine, transport: 'server', ...(label !== undefined && { label }) }));
  return privateReply({ data });
}
