import type { Span } from '../../blobs/store.ts';

/**
 * The part that a Range header asks for: undefined for all, of a header that is malformed, of another unit, or of several parts;
 * 'none' of one that the file does not have.
 */
export function spanOf(header: string, size: number): Span | 'none' | undefined {
  const [, from, to] = /^bytes *= *(\d*) *- *(\d*) *$/i.exec(header) ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start >= size || end < start || (from === '' && Number(to) === 0) ? 'none' : { start, end };
}
