/** Load on a server, by wrk where it is installed, else by autocannon: a process of its own, so that its CPU time is its own. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { install } from '../install.ts';

/** One request; # in path and body stands for a number that walks from 1 to 1,000, from request to request. */
export type Ask = { method: 'GET' | 'POST' | 'PATCH'; path: string; body: string };
/** `tokens`: of callers that take turns, from request to request. */
export type Target = { url: string; headers: Record<string, string>; tokens?: readonly string[] };
/** `p99`: milliseconds that all but one of a hundred took at most. */
export type Load = { requests: number; seconds: number; p99: number };
type Size = { connections: number; seconds: number };
type Counted = Load & { failures: number };

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
export const generator = hasWrk ? 'wrk' : 'autocannon';

/** @throws Error when a request failed. */
export async function load(target: Target, ask: Ask, size: Size): Promise<Load> {
  const counted = hasWrk ? await byWrk(target, ask, size) : await byAutocannon(target, ask, size);
  if (counted.failures > 0) throw new Error(`${target.url} ${ask.method} ${ask.path}: ${counted.failures} requests failed`);
  return counted;
}

async function byWrk({ url, headers, tokens = [] }: Target, { method, path, body }: Ask, { connections, seconds }: Size): Promise<Counted> {
  const options = [
    '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '60s', '--latency',
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
  ];
  const output = await run('wrk', [...options, '-s', join(import.meta.dirname, 'walk.lua'), url, '--', method, path, body, ...tokens]);
  const failures = [/Non-2xx or 3xx responses: (\d+)/, /Socket errors: connect (\d+)/, /read (\d+)/, /write (\d+)/].map(line =>
    Number(line.exec(output)?.[1] ?? 0));
  const [, requests, time, unit] = /(\d+) requests in ([\d.]+)(s|m)/.exec(output) ?? [];
  const [, late, lateUnit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  const p99 = Number(late) * { us: 0.001, ms: 1, s: 1000 }[lateUnit as 'us' | 'ms' | 's'];
  return {
    requests: Number(requests), seconds: Number(time) * (unit === 'm' ? 60 : 1), p99,
    failures: failures.reduce((sum, count) => sum + count),
  };
}

async function byAutocannon(
  { url, headers, tokens = [] }: Target, { method, path, body }: Ask, { connections, seconds }: Size,
): Promise<Counted> {
  await install(import.meta.dirname);
  const options = JSON.stringify({ method, path, body, headers, tokens, connections, seconds });
  return JSON.parse(await run(process.execPath, [join(import.meta.dirname, 'autocannon.mjs'), url, options])) as Counted;
}

async function run(program: string, args: string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => { output += text; });
  const [code] = await once(child, 'close') as [number | null];
  if (code !== 0) throw new Error(`${program} failed: ${output}`);
  return output;
}
