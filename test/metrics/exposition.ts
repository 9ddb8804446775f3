/** The samples of a text in the format of Prometheus: each line's name with its labels as written, and its number. */
export type Samples = Map<string, number>;

/** @throws Error for a line that is neither a comment nor a sample. */
export function samplesOf(text: string): Samples {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new Map(lines.map(line => {
    const [, series, value] = /^([a-z_]+(?:\{(?:[a-z]+="(?:[^"\\]|\\["\\n])*",?)+\})?) (\S+)$/.exec(line) ?? [];
    if (series === undefined || Number.isNaN(Number(value))) throw new Error(`no sample: ${line}`);
    return [series, Number(value)];
  }));
}

/** The sum over all sets of labels that have these among them. */
export function sumOf(samples: Samples, name: string, labels: Record<string, string> = {}): number {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return [...samples].filter(([series]) => series.split('{')[0] === name && wanted.every(pair => series.includes(pair)))
    .reduce((sum, [, value]) => sum + value, 0);
}
