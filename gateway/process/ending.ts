import type { Logger } from 'pino';
import { BootError } from '../error.ts';
import { printable } from './printable.ts';

/** Milliseconds for a graceful end; a process manager's patience is usually 30 s. */
const SHUTDOWN = 15_000;

/** Milliseconds for the service to answer requests in progress; the rest is for the parts below it. */
export const GRACE = SHUTDOWN - 2_000;

const open: (() => Promise<void>)[] = [];
let ending: Promise<never> | undefined;

/** Registers a function that closes something at the end; the last one runs first. */
export function atEnd(close: () => Promise<void>): void {
  open.push(close);
}

/** Closes everything, for at most SHUTDOWN milliseconds; further calls wait for the first. */
export function end(code: number): Promise<never> {
  return ending ??= (async () => {
    setTimeout(() => process.exit(1), SHUTDOWN).unref();
    const failures: unknown[] = [];
    for (const close of open.reverse()) await close().catch((error: unknown) => failures.push(error));
    process.exit(failures.length > 0 ? 1 : code);
  })();
}

/** The message for the operator about a failed start: one line where it can be mended, else the whole error. */
export function reasonOf(error: unknown): string {
  if (error instanceof BootError) return error.message.split('\n').map(printable).join('\n');
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

export function watchRejections({ exitOnUnhandledRejection }: { exitOnUnhandledRejection: boolean }, log: Logger): void {
  process.on('unhandledRejection', error => {
    log.error({ err: error }, 'unhandled rejection');
    if (exitOnUnhandledRejection) void end(1);
  });
}
