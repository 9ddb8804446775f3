// Makes renditions, one at a time, behind whatever else the machine has to do. sharp works on the threads that files, zlib and argon2
// work on, so who wants pictures would hold up who reads; and what a picture does to its decoder, it does to this process only.
import { writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import sharp, { type Sharp } from 'sharp';
import { takeBytes } from '../process/background/bytes.ts';
import { BYTES, serveBackground } from '../process/background/serve.ts';
import { type RenditionOptions } from './options.ts';
import { type Made, type Task } from './processes.ts';

/** A picture of 8192 by 8192, or all that move in one. */
const PIXELS = 8192 * 8192;
/** Nothing but a kill stops an encoder of AVIF: 6 megapixels take a second so, and a minute at the usual effort. */
const AVIF_EFFORT = 0;

const ALL_LOADERS = { operation: ['VipsForeignLoad'] };

/** sharp has no codes. What else it says is of files that are damaged, or no pictures. */
const REASONS: [RegExp, Extract<Made, { refused: unknown }>['refused']][] = [
  [/exceeds pixel limit/, 'pixels'],
  [/too large for the/, 'sides'],
];

const channel = new Socket({ fd: BYTES });

sharp.cache(false);
sharp.concurrency(1);
sharp.block(ALL_LOADERS);
dieFirst();
serveBackground({ make: given => make(given as Task) });

async function make({ loader, size, options }: Task): Promise<Made> {
  const picture = await takeBytes(channel, size);
  sharp.unblock({ operation: [loader] });
  try {
    const rendition = await render(picture, loader.includes('Webp'), options).toBuffer();
    channel.write(rendition);
    return { size: rendition.length };
  } catch (error) {
    const [, refused] = REASONS.find(([says]) => says.test((error as Error).message)) ?? [];
    return { refused: refused ?? 'unreadable' };
  } finally {
    sharp.block(ALL_LOADERS);
  }
}

/** Upright, in sRGB, without what its camera noted. Where there is no picture it is transparent, or white. */
function render(picture: Buffer, mayMove: boolean, { width, height, quality, format, fit }: RenditionOptions): Sharp {
  const background = format === 'jpeg' ? '#fff' : { r: 0, g: 0, b: 0, alpha: 0 };
  const animated = mayMove && format === 'webp';
  const source = sharp(picture, { limitInputPixels: PIXELS, failOn: 'error', autoOrient: true, animated });
  const isSized = width !== undefined || height !== undefined;
  const sized = isSized ? source.resize({ width, height, fit, background, withoutEnlargement: true }) : source;
  switch (format) {
    case 'webp': return sized.webp({ quality });
    case 'avif': return sized.avif({ quality, effort: AVIF_EFFORT });
    case 'jpeg': return sized.flatten({ background }).jpeg({ quality });
    case 'png': return sized.png();
  }
}

/** Where memory ends, the kernel is to end this before a database. To raise one's own badness needs no right. */
function dieFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Another system.
  }
}
