const entityTag = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** The tags of an If-Match or If-None-Match header with their quotes, weak ones as if they were strong; undefined for `*`, any tag. */
export function entityTags(header: string): string[] | undefined {
  return header.trim() === '*' ? undefined : Array.from(header.matchAll(entityTag), ([, tag]) => tag ?? '');
}
