import { readFileSync, readdirSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

type Encoding = 'jpeg' | 'png' | 'webp' | 'avif' | 'tiff' | 'gif';

/** A picture that is red on the left and blue on the right. */
export function picture(format: Encoding, width = 60, height = 40): Promise<Buffer> {
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
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(data)), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Of the processes that this one has started those that make pictures. */
export function pictureProcesses(): number[] {
  return readdirSync('/proc/self/task').flatMap(thread => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .filter(child => child !== '' && commandOf(child).includes('picture-process')).map(Number);
}

function commandOf(process: string): string {
  try {
    return readFileSync(`/proc/${process}/cmdline`, 'utf8');
  } catch {
    return ''; // it has just ended
  }
}
