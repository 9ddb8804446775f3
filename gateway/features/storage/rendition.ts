import type { Call, Reply } from '../../http/route.ts';
import type { Opened, Place } from '../../blobs/store.ts';
import type { RenditionOptions } from '../../images/options.ts';
import { isUnchanged, stamped } from './file-headers.ts';
import type { StorageOptions } from './options.ts';
import type { Reading } from './reading.ts';

export type WantedRendition = { place: Place; opened: Opened; options: RenditionOptions };

/** Seconds that a cache may show one without asking: of a replaced image it shows the old one as long. */
const MAX_AGE = 3600;

/** A rendition of an image. Its tag contains its size, so it is made before it is known whether it changed; it has no ranges. */
export async function readRendition(
  call: Call, { source, isPublic }: Reading, { place, opened, options }: WantedRendition,
  { renditions }: Pick<StorageOptions, 'renditions'>,
): Promise<Reply> {
  const body = await renditions({ source: source.key, store: source.store, place, opened, options });
  const made = { size: body.length, modified: opened.info.modified };
  const headers = stamped(made, isPublic, MAX_AGE);
  if (isUnchanged(call, made)) return { status: 304, headers, isFile: true };
  return { headers, type: `image/${options.format}`, body, isFile: true };
}
