import type { Logger } from 'pino';
import { BootError } from '../error.ts';
import { printable } from './printable.ts';

/** Milliseconds for a graceful end; a process manager's patience is usually 30 s. */
const SHUTDOWN = 15_000;

/** How many of these are for what is closed once no request is under way. */
const LAST = 2_000;

const open: (() => Promise<void>)[] = [];
let ending: Promise<never> | undefined;
let endsAt = 0;

/** Registers a function that closes something at the end; the last one runs first. */
export function atEnd(close: () => Promise<void>): void {
  open.push(close);
}

/** Milliseconds that are left to answer requests in progress. */
export function grace(): number {
  return Math.max(0, endsAt - LAST - performance.now());
}

/** Closes everything, for at most SHUTDOWN milliseconds; further calls wait for the first. */
export function end(code: number): Promise<never> {
  return ending ??= (async () => {
    setTimeout(() => process.exit(1), SHUTDOWN).unref();
    endsAt = performance.now() + SHUTDOWN;
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

/** Has the log tell what no code caught. As ever, an exception ends the process at once. */
export function watchFailures({ exitOnUnhandledRejection }: { exitOnUnhandledRejection: boolean }, log: Logger): void {
  process.on('uncaughtException', error => {
    log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
  process.on('unhandledRejection', error => {
    log.error({ err: error }, 'unhandled rejection');
    if (exitOnUnhandledRejection) void end(1);
  });
}
