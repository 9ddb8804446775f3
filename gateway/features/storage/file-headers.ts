import type { Call } from '../../http/route.ts';
import type { ObjectInfo } from '../../blobs/store.ts';

type Stamp = Pick<ObjectInfo, 'size' | 'modified'>;

/** Seconds that a cache may show a file without asking. Never for good: a key's bytes may be replaced. */
const MAX_AGE = 60;

export function fileHeaders(info: Stamp, isPublic: boolean): Record<string, string> {
  return { ...stamped(info, isPublic, MAX_AGE), 'Accept-Ranges': 'bytes' };
}

/** The headers that tell a cache when to revalidate, and how. */
export function stamped(info: Stamp, isPublic: boolean, maxAge: number): Record<string, string> {
  return {
    'ETag': entityTag(info),
    'Last-Modified': info.modified.toUTCString(),
    'Cache-Control': isPublic
      ? `public, max-age=${maxAge}, stale-while-revalidate=86400, must-revalidate`
      : `private, max-age=${maxAge}, must-revalidate`,
    'Vary': 'Authorization',
  };
}

export function entityTag({ size, modified }: Stamp): string {
  return `W/"${size.toString(16)}-${modified.getTime().toString(16)}"`;
}

/** RFC 9110 section 13.2.2: the date counts where no tag is given. */
export function isUnchanged(call: Call, info: Stamp): boolean {
  const tags = call.header('if-none-match');
  if (tags !== '') return tags.trim() === '*' || opaque(tags).includes(opaque(entityTag(info))[0]);
  const since = Date.parse(call.header('if-modified-since'));
  return seconds(info) <= since;
}

/** A weak tag says nothing of bytes, so only the date can hold an If-Range (RFC 9110 section 13.1.5). */
export function rangeHolds(call: Call, { modified }: Stamp): boolean {
  const condition = call.header('if-range');
  return condition === '' || condition === modified.toUTCString();
}

/** The tags of a list, compared weakly. */
function opaque(tags: string): (string | undefined)[] {
  return Array.from(tags.matchAll(/(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g), ([, tag]) => tag);
}

function seconds({ modified }: Stamp): number {
  return Math.floor(modified.getTime() / 1000) * 1000;
}
