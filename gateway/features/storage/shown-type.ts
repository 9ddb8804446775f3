const INLINE = /^(?:(?:image|video|audio)\/[\w.+-]+|application\/pdf|text\/plain)$/;
const SVG = 'image/svg+xml';

/** The type that a file is served with: what its uploader claims, as far as a browser may be let do something with it. */
export function shownType(claimed: string): { type: string; headers: Record<string, string> } {
  const type = claimed.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === SVG) return { type, headers: { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" } };
  if (INLINE.test(type) && !type.includes('svg')) return { type, headers: {} };
  return { type: 'application/octet-stream', headers: { 'Content-Disposition': 'attachment' } };
}
