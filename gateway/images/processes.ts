import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { ApiError } from '../error.ts';
import type { Source } from '../blobs/store.ts';
import { takeBytes } from '../process/background/bytes.ts';
import { startBackground, type Background } from '../process/background/start.ts';
import { createInTurn } from '../process/in-turn.ts';
import type { RenditionOptions } from './options.ts';
import { unreadable } from './unreadable.ts';

/** The rendition that a process makes of the `size` bytes that follow. */
export type Task = { loader: string; size: number; options: RenditionOptions };
/** How many bytes follow, or why there are none. */
export type Made = { size: number } | { refused: keyof typeof REFUSALS };

/** Makes a rendition of what `read` reads, once, when it is its turn. */
export type MakeRendition = (task: Task, read: () => Promise<Buffer | Source>) => Promise<Buffer>;

export type ProcessesOptions = { atOnce?: number; waiting?: number; deadline?: number };

/** As many as there are cores, of which images get four at most. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism()));
const WAITING = 64;
/** Milliseconds in which a process has taken some of the image, or made the rendition. */
const DEADLINE = 20_000;

const REFUSALS = {
  unreadable: () => unreadable('The file cannot be read as what its type says it is.'),
  pixels: () => unreadable('The image has too many pixels to be transformed.'),
  room: () => new ApiError(400, 'INVALID_TRANSFORM_OPTIONS', 'The format has no room for so large an image; ask for a smaller one.'),
};

/** Signals of a decoder that crashes on an image. Any other end of a process is not the image's fault. */
const CRASHES = new Set<unknown>(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGILL', 'SIGFPE']);

/**
 * Each in a process of its own, which makes the next one afterwards. A process that does not finish is killed and replaced.
 * @throws ApiError 415 UNSUPPORTED_MEDIA_TYPE for an unreadable image, 400 INVALID_TRANSFORM_OPTIONS for a size that the format cannot
 * have, 503 TRANSFORM_OVERLOADED when too many wait or one takes too long; the errors of `read`.
 */
export function createProcesses({ atOnce = AT_ONCE, waiting = WAITING, deadline = DEADLINE }: ProcessesOptions = {}): MakeRendition {
  const inTurn = createInTurn({ atOnce, waiting, full: () => overloaded('Too many images are being transformed; try again.') });
  let idle: Background[] = [];

  return (task, read) => inTurn(async () => {
    const image = await read();
    const background = idleOne() ?? start();
    const late = setTimeout(background.kill, deadline);
    try {
      const made = await make(background, task, image, () => late.refresh());
      idle.push(background);
      if (Buffer.isBuffer(made)) return made;
      throw REFUSALS[made.refused]();
    } finally {
      clearTimeout(late);
    }
  });

  function idleOne(): Background | undefined {
    idle = idle.filter(({ ended }) => !ended.aborted);
    return idle.pop();
  }
}

function start(): Background {
  return startBackground(join(import.meta.dirname, `image-process${extname(import.meta.filename)}`), 1);
}

async function make(background: Background, task: Task, image: Buffer | Source, alive: () => void) {
  const answer = background.ask('make', task) as Promise<Made>;
  answer.catch(() => undefined); // it is heard below
  try {
    await send(image, task.size, background, alive);
  } catch (error) {
    background.kill();
    throw error;
  }
  try {
    const made = await answer;
    return 'refused' in made ? made : await takeBytes(background.bytes, made.size);
  } catch (error) {
    throw await lost(background, error as Error);
  }
}

/** Returns when everything is sent, or the process is gone. @throws the error of reading the image. */
async function send(image: Buffer | Source, size: number, { bytes, ended }: Background, alive: () => void): Promise<void> {
  const { pieces, recycle } = Buffer.isBuffer(image) ? { pieces: [image] }
    : { pieces: addAbortSignal(ended, image) as AsyncIterable<Buffer>, recycle: image.recycle };
  let sent = 0;
  try {
    for await (const piece of pieces) {
      alive();
      sent += piece.length;
      if (sent > size) break;
      if (!bytes.write(piece, () => recycle?.(piece))) await once(bytes, 'drain', { signal: ended });
    }
  } catch (error) {
    if (ended.aborted) return;
    throw error;
  }
  if (sent !== size) throw new Error(`The image has ${sent} bytes instead of ${size}.`);
}

/** The error for a task that was not answered. */
async function lost({ ended, kill }: Background, error: Error): Promise<ApiError> {
  kill();
  if (!ended.aborted) await once(ended, 'abort');
  const { cause } = ended.reason as Error;
  return CRASHES.has(cause) ? REFUSALS.unreadable() : overloaded('The image could not be transformed now; try again.', error);
}

function overloaded(message: string, cause?: Error): ApiError {
  return new ApiError(503, 'TRANSFORM_OVERLOADED', message, undefined, { cause });
}
