/** One preference of a `Prefer` header, in lower case; undefined when it is not there. RFC 7240: the first mention counts. */
export function preference(prefer: string, wanted: string): string | undefined {
  if (prefer === '') return undefined;
  for (const part of prefer.split(',')) {
    const [name = '', value = ''] = (part.split(';')[0] ?? '').split('=');
    if (name.trim().toLowerCase() === wanted) return value.replaceAll('"', '').trim().toLowerCase();
  }
  return undefined;
}
