/**
 * The types that are decoded, each with the one loader of libvips that may read it: an SVG that claims to be a PNG is rejected, not drawn.
 * Any other type of image cannot be read here.
 */
const LOADERS: Readonly<Record<string, string>> = {
  'image/jpeg': 'VipsForeignLoadJpegBuffer',
  'image/jpg': 'VipsForeignLoadJpegBuffer',
  'image/png': 'VipsForeignLoadPngBuffer',
  'image/webp': 'VipsForeignLoadWebpBuffer',
  'image/avif': 'VipsForeignLoadHeifBuffer',
  'image/tiff': 'VipsForeignLoadTiffBuffer',
};

/** Whether options of a rendition mean anything for it. A GIF would lose its movement, an SVG needs no other size. */
export function isImage(contentType: string): boolean {
  const type = baseType(contentType);
  return type.startsWith('image/') && type !== 'image/gif' && !type.includes('svg');
}

export function loaderOf(contentType: string): string | undefined {
  return LOADERS[baseType(contentType)];
}

/** Without parameters. */
function baseType(contentType: string): string {
  return contentType.replace(/;.*$/s, '').trim().toLowerCase();
}
