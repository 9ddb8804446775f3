import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { BootError } from '../error.ts';
import { program } from './binaries.ts';
import { SERVER_ENVIRONMENT } from './cluster.ts';
import type { Place } from './place.ts';
import type { EmbeddedLog } from './server-log.ts';

/** A running server. `ended` resolves with how it ended, in words, and never rejects. */
export type Postmaster = { pid: number; ended: Promise<string>; stop(): void };

export type PostmasterOptions = {
  place: Place;
  data: string;
  port: number;
  settings: Record<string, string>;
  log: EmbeddedLog;
  signal: AbortSignal;
};

/** The server ended before it was ready. Some reasons pass by themselves. */
export class StartFailure extends BootError {
  readonly reason: 'port taken' | 'still in use' | 'other';

  constructor(lines: string[]) {
    const text = lines.join('\n');
    super(`PostgreSQL did not start: ${/(?:FATAL|PANIC): +(.*)/.exec(text)?.[1] ?? lines.at(-1) ?? 'it said nothing'}`);
    this.reason = text.includes('Address already in use') ? 'port taken'
      // Servers of a killed postmaster end within moments; until then the next one may not touch the data.
      : /is still in use|lock file .* already exists/.test(text) ? 'still in use'
      : 'other';
  }
}

/** A standby accepts read-only ones. */
const READY = /database system is ready to accept (read-only )?connections/;
/** Recovery may take long, but then it says so every ten seconds. */
const SILENCE_LIMIT = 60_000;
const FAST_SHUTDOWN_LIMIT = 8_000;

/** Starts the server and waits until it accepts connections. @throws StartFailure */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const child = launch(options);
  const ended = untilEnd(child);
  const stop = () => stopChild(child, ended);
  process.once('exit', stop); // a gateway that fails leaves no server behind
  void ended.then(() => process.off('exit', stop));
  const lastLines: string[] = [];
  const { promise: ready, resolve } = Promise.withResolvers<'ready'>();
  const silence = setTimeout(() => child.kill('SIGQUIT'), SILENCE_LIMIT);

  createInterface(child.stderr).on('line', line => {
    options.log.debug(line);
    silence.refresh();
    if (READY.test(line)) resolve('ready');
    lastLines.push(line);
    if (lastLines.length > 20) lastLines.shift();
  });
  options.signal.addEventListener('abort', stop, { once: true });

  const outcome = await Promise.race([ready, ended]);
  clearTimeout(silence);
  options.signal.removeEventListener('abort', stop);
  if (outcome !== 'ready') throw new StartFailure(lastLines);
  return { pid: child.pid ?? 0, ended, stop };
}

/**
 * Keeps values out of the server's log. PostgreSQL repeats them in the message ("invalid input syntax for type integer: …"), in DETAIL
 * and in the statement of an error, so errors and warnings go to the client alone, which is the gateway; LOG, FATAL and PANIC stay. Terse
 * also drops the statement of a process that crashed. As command line options they win over postgresql.conf and ALTER SYSTEM.
 */
const WITHOUT_VALUES = {
  log_min_messages: 'log', log_min_error_statement: 'panic', log_error_verbosity: 'terse', log_statement: 'none',
  log_min_duration_statement: '-1', log_min_duration_sample: '-1', log_transaction_sample_rate: '0', log_duration: 'off',
  log_parameter_max_length: '0', log_parameter_max_length_on_error: '0',
};

function launch({ place, data, port, settings }: PostmasterOptions): ChildProcessByStdio<null, null, Readable> {
  const parameters = {
    listen_addresses: '127.0.0.1', unix_socket_directories: '', cluster_name: 'rowgate',
    lc_messages: 'C', timezone: 'UTC', log_timezone: 'UTC', ...WITHOUT_VALUES, ...settings,
  };
  return spawn(
    program(place.binaries, 'postgres'),
    ['-D', data, '-p', String(port), ...Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // Its own process group: a Ctrl-C must reach the gateway alone, which drains before the server goes.
    { cwd: data, env: SERVER_ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'], detached: true, ...place.account },
  );
}

function untilEnd(child: ChildProcessByStdio<null, null, Readable>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  child.on('error', error => resolve(error.message));
  child.on('close', (code, signal) => resolve(signal ? `killed by ${signal}` : `exit code ${String(code)}`));
  return promise;
}

function stopChild(child: ChildProcessByStdio<null, null, Readable>, ended: Promise<string>): void {
  child.kill('SIGINT'); // fast shutdown
  const impatience = setTimeout(() => child.kill('SIGQUIT'), FAST_SHUTDOWN_LIMIT);
  void ended.then(() => clearTimeout(impatience));
}
