/** Tables in Markdown: printed, and with --write put into README.md between its markers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { generator } from './load/load.ts';
import type { Figures } from './measure.ts';

const README = join(import.meta.dirname, 'README.md');

export type Table = { header: string[]; rows: string[][] };

export function markdown({ header, rows }: Table): string {
  return [header, header.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

/** `12848/s, 52 + 61 µs`: requests a second, CPU time a request in the server and in PostgreSQL. */
export function cell(figures: Figures | undefined): string {
  if (!figures) return '–';
  const { rate, server, postgres } = figures;
  return `${number(rate)}/s${Number.isNaN(server) ? '' : `, ${number(server)} + ${number(postgres)} µs`}`;
}

/** How the first compares with the second, where more is better: by requests a second, and by CPU time a request. */
export function ratio(ours: Figures | undefined, other: Figures | undefined): string[] {
  if (!ours || !other) return ['–', '–'];
  const byCpu = (other.server + other.postgres) / (ours.server + ours.postgres);
  return [(ours.rate / other.rate).toFixed(2), Number.isNaN(byCpu) ? '–' : byCpu.toFixed(2)];
}

export function number(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(2);
}

/** When and on what; the load that the machine had before the run tells whether to trust requests a second. */
export function circumstances(version: string, { seconds, rounds }: { seconds: number; rounds: number }): string {
  const processors = cpus();
  const [load = 0] = loadavg();
  return `${new Date().toISOString().slice(0, 10)}, ${processors.length} × ${processors[0]?.model.trim() ?? 'CPU'}, load `
    + `${load.toFixed(1)} at the start, Node ${process.version}, PostgreSQL ${version}, ${generator}, ${rounds} rounds of ${seconds} s.`;
}

/** Replaces what stands between `<!-- topic -->` and `<!-- /topic -->`. */
export function write(topic: string, text: string): void {
  const readme = readFileSync(README, 'utf8');
  const [start, end] = [`<!-- ${topic} -->`, `<!-- /${topic} -->`];
  if (!readme.includes(start)) throw new Error(`README.md has no ${start}.`);
  writeFileSync(README, readme.slice(0, readme.indexOf(start) + start.length) + `\n${text}\n` + readme.slice(readme.indexOf(end)));
}
