// Makes renditions, one at a time, at a low priority. sharp works on the threads that files, zlib and argon2 work on, so renditions would
// delay readers; and a decoder that crashes on an image ends this process only.
import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import sharp, { type Metadata } from 'sharp';
import { takeBytes } from '../process/background/bytes.ts';
import { BYTES, serveBackground } from '../process/background/serve.ts';
import type { RenditionOptions } from './options.ts';
import type { Made, Task } from './processes.ts';

/** Enough for the cameras of telephones, counting all frames of an animation. An AVIF of that size takes a gibibyte to decode. */
const PIXELS = 50 * 1024 * 1024;
/**
 * The largest size that a client can ask for. Above it, a WebP at its usual effort takes half a second a megapixel, and an AVIF 33 bytes a
 * pixel.
 */
const USUAL_PIXELS = 4096 * 4096;
/** Nothing but a kill stops an encoder of AVIF: 6 megapixels take a second so, and a minute at the usual effort. */
const AVIF_EFFORT = 0;
/** Bytes of a rendition, which is kept in memory as a whole. Only a PNG comes near. */
const LARGEST = 64 * 1024 * 1024;

const ALL_LOADERS = { operation: ['VipsForeignLoad'] };

type Refused = Extract<Made, { refused: unknown }>['refused'];

/** sharp has no error codes. Its other messages are about damaged files, or files that are no images. */
const REASONS: [RegExp, Refused][] = [[/exceeds pixel limit/, 'pixels'], [/too large for the/, 'room']];

const channel = new Socket({ fd: BYTES });

sharp.cache(false);
sharp.concurrency(1);
sharp.block(ALL_LOADERS);
dieFirst();
serveBackground({ make: given => make(given as Task) });

async function make({ loader, size, options }: Task): Promise<Made> {
  const image = await takeBytes(channel, size);
  sharp.unblock({ operation: [loader] });
  try {
    const rendition = await render(image, loader.includes('Webp'), options);
    if (rendition === undefined || rendition.length > LARGEST) return { refused: 'room' };
    channel.write(rendition);
    return { size: rendition.length };
  } catch (error) {
    return { refused: REASONS.find(([says]) => says.test((error as Error).message))?.[1] ?? 'unreadable' };
  } finally {
    sharp.block(ALL_LOADERS);
  }
}

/** Upright, in sRGB, without what its camera noted. Where there is no image it is transparent, or white. */
async function render(image: Buffer, mayMove: boolean, options: RenditionOptions): Promise<Buffer | undefined> {
  const { width, height, quality, format, fit } = options;
  const animated = mayMove && format === 'webp';
  const source = sharp(image, { limitInputPixels: PIXELS, failOn: 'error', autoOrient: true, animated });
  const isUsual = pixelsOf(await source.metadata(), options) <= USUAL_PIXELS;
  const background = format === 'jpeg' ? '#fff' : { r: 0, g: 0, b: 0, alpha: 0 };
  const isSized = width !== undefined || height !== undefined;
  const sized = isSized ? source.resize({ width, height, fit, background, withoutEnlargement: true }) : source;
  switch (format) {
    case 'webp': return sized.webp({ quality, effort: isUsual ? 4 : 1 }).toBuffer();
    case 'avif': return isUsual ? sized.avif({ quality, effort: AVIF_EFFORT }).toBuffer() : undefined;
    case 'jpeg': return sized.flatten({ background }).jpeg({ quality }).toBuffer();
    case 'png': return sized.png().toBuffer();
  }
}

/** How many a rendition has at most. Where both sides are given they are the most, unless it may reach over them. */
function pixelsOf({ autoOrient: { width: wide, height: high } }: Metadata, { width, height, fit }: RenditionOptions): number {
  if (width !== undefined && height !== undefined && fit !== 'outside') return width * height;
  const scale = Math.min(1, Math.max((width ?? 0) / wide, (height ?? 0) / high) || 1);
  return wide * high * scale ** 2;
}

/** Where memory ends, the kernel is to end this before a database. To raise one's own badness needs no right. */
function dieFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system.
  }
}
