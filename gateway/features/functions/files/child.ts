import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Socket } from 'node:net';
import { finished, type Readable } from 'node:stream';
import { openTemporarySync } from '../../../process/temporary-file.ts';

/** Compiled or not. */
const PROGRAM = join(import.meta.dirname, 'worker', `main${extname(import.meta.filename)}`);
/** Milliseconds between two looks at its memory. */
const LOOK = 250;
/** Milliseconds for what it has said before its end; a process that it started may hold the pipe for longer. */
const LAST_WORDS = 200;
/** Bytes of raw output that are read in a second; a process that writes more waits. */
const MOST_OUTPUT = 64 * 1024;

export type ChildOptions = {
  env: NodeJS.ProcessEnv;
  /** Megabytes, of the heap and of everything together. */
  memory: number;
  /** A line that it wrote past the console: of native code, of V8 at its end. */
  line: (text: string) => void;
  /** It has ended; the reason finishes "A worker of … …". */
  ended: (reason: string) => void;
};
export type Child = {
  pipe: Socket;
  /** The number of the call whose function began last. */
  lastBegun: () => number;
  kill: (reason: string) => void;
};

/** Starts a process for code of the project. It is a process because a thread's Buffers and native crashes would be the gateway's own. */
export function startChild({ env, memory, line, ended }: ChildOptions): Child {
  const flags = [`--max-old-space-size=${memory}`, '--disable-warning=ExperimentalWarning'];
  const begun = openTemporarySync();
  const given = [...process.execArgv, ...flags, PROGRAM];
  const child = spawn(process.execPath, given, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe', begun] });
  const pipe = child.stdio[3] as Socket;
  let reason: string | undefined;
  let isOver = false;
  const looking = setInterval(look, LOOK).unref();
  const killAtExit = () => { child.kill('SIGKILL'); };
  process.once('exit', killAtExit);
  preferAsVictim(child);
  for (const output of [child.stdout, child.stderr]) readLines(output as Readable, line);
  pipe.on('error', () => undefined); // the end of the process says more
  child.on('error', error => { over(`could not be started: ${error.message}`); });
  child.on('exit', (code, signal) => {
    const how = reason ?? `ended with ${signal ?? `exit code ${code ?? ''}`}`;
    const late = setTimeout(() => over(how), LAST_WORDS);
    finished(pipe, { writable: false }, () => {
      clearTimeout(late);
      over(how);
    });
  });
  return { pipe, lastBegun, kill };

  /** The worker writes it to a file: a function that never returns leaves it no turn for a message. */
  function lastBegun(): number {
    const number = Buffer.alloc(4);
    readSync(begun, number, 0, 4, 0);
    return number.readUInt32LE(0);
  }

  function kill(why: string): void {
    reason ??= why;
    child.kill('SIGKILL');
  }

  function look(): void {
    if (memoryOf(child) > memory * 1024 * 1024) kill(`took more than ${memory} MB of memory`);
  }

  function over(how: string): void {
    if (isOver) return;
    isOver = true;
    clearInterval(looking);
    process.off('exit', killAtExit);
    pipe.destroy();
    ended(how);
    closeSync(begun);
  }
}

/** Bytes of its own; where the system does not tell, none. */
function memoryOf({ pid }: ChildProcess): number {
  try {
    return 1024 * Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid ?? ''}/status`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Where the machine itself runs out of memory, Linux ends this process before the gateway. */
function preferAsVictim({ pid }: ChildProcess): void {
  try {
    writeFileSync(`/proc/${pid ?? ''}/oom_score_adj`, '1000');
  } catch {
    // Other systems have no such file.
  }
}

function readLines(output: Readable, line: (text: string) => void): void {
  let rest = '';
  let read = 0;
  output.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()?.slice(-MOST_OUTPUT) ?? '';
    for (const text of lines.filter(text => text !== '')) line(text);
    read += text.length;
    if (read < MOST_OUTPUT) return;
    output.pause();
    setTimeout(() => {
      read = 0;
      output.resume();
    }, 1000).unref();
  }).on('end', () => { if (rest !== '') line(rest); }).on('error', () => undefined);
}
