import { entityTags } from '../../grammar/entity-tags.ts';

/** A cache may keep the row for this client alone, and asks each time whether it still stands. */
export function tagHeaders(tag: Uint8Array): { ETag: string; 'Cache-Control': string } {
  return { ETag: `"${Buffer.from(tag).toString('latin1')}"`, 'Cache-Control': 'private, no-cache' };
}

/** Whether an If-None-Match header names this tag: a list, or `*` for any, compared weakly (RFC 9110 section 13.1.2). */
export function isCurrent(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch !== '' && (entityTags(ifNoneMatch)?.includes(tag) ?? true);
}
