import { readFileSync, readdirSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { ApiError } from '../../gateway/error.ts';
import { renditionOptions, type RenditionOptions } from '../../gateway/images/options.ts';

type Encoding = 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff' | 'gif';

/** The texts of a list, one a line; '' for none. A generated column calls it, so every writer of such a table may. */
export function image(format: Encoding, width = 60, height = 40): Promise<Buffer> {
  return twoColours(width, height).toFormat(format).toBuffer();
}

export function twoColours(width: number, height: number): Sharp {
  const half = { width: Math.ceil(width / 2), height, channels: 3 } as const;
  const blue = { input: { create: { ...half, background: 'blue' } }, left: Math.floor(width / 2), top: 0 };
  return sharp({ create: { width, height, channels: 3, background: 'red' } }).composite([blue]);
}

/** A PNG by hand, which says of itself what it likes. */
export function png(width: number, height: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // bits a channel, RGB
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(data)), chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The processes that this one has started to make images. */
export function imageProcesses(): number[] {
  return readdirSync('/proc/self/task').flatMap(thread => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .filter(child => child !== '' && commandOf(child).includes('image-process')).map(Number);
}

function commandOf(process: string): string {
  try {
    return readFileSync(`/proc/${process}/cmdline`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}

export const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>');

export const options = (query: string): RenditionOptions | undefined => renditionOptions(new URLSearchParams(query));

/** The refusal as a client would read it. */
export async function refusal(answer: Promise<unknown>): Promise<[number, string]> {
  const error: unknown = await answer.then(() => new Error('There was an answer.'), (error: unknown) => error);
  if (!(error instanceof ApiError)) throw error;
  return [error.status, error.code];
}

/** Format and sides. */
export async function facts(rendition: Promise<Buffer>): Promise<string> {
  const { format, width, height } = await sharp(await rendition).metadata();
  return `${format} ${width}x${height}`;
}

/** Cyan on the left, yellow on the right. */
export async function negative(): Promise<Buffer> {
  return sharp(await image('png')).negate({ alpha: false }).png().toBuffer();
}

/** The colour of a pixel, in bits: red 4, green 2, blue 1. */
export async function colourAt(rendition: Buffer, left: number, top: number): Promise<number> {
  const [red = 0, green = 0, blue = 0] = await sharp(rendition).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer();
  return [red, green, blue].reduce((bits, value) => bits * 2 + (value > 127 ? 1 : 0), 0);
}
