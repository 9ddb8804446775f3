const BASE = 36;
const LOWEST = 1;
const HIGHEST = 26;

/** Encodes a label with characters beyond ASCII (RFC 3492 section 6.3), without the prefix `xn--`. */
export function punycode(label: string): string {
  const points = Array.from(label).map(character => character.codePointAt(0) ?? 0);
  const basic = points.filter(point => point < 0x80);
  let encoded = String.fromCodePoint(...basic) + (basic.length > 0 ? '-' : '');
  let [next, delta, bias, handled] = [0x80, 0, 72, basic.length];
  while (handled < points.length) {
    const smallest = Math.min(...points.filter(point => point >= next));
    delta += (smallest - next) * (handled + 1);
    next = smallest;
    for (const point of points) {
      if (point < next) delta++;
      if (point !== next) continue;
      encoded += variableLength(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled++;
    }
    delta++;
    next++;
  }
  return encoded;
}

function variableLength(delta: number, bias: number): string {
  let digits = '';
  let rest = delta;
  for (let place = BASE; ; place += BASE) {
    const threshold = Math.min(Math.max(place - bias, LOWEST), HIGHEST);
    if (rest < threshold) return digits + digit(rest);
    digits += digit(threshold + (rest - threshold) % (BASE - threshold));
    rest = Math.floor((rest - threshold) / (BASE - threshold));
  }
}

/** RFC 3492 section 6.1. */
function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / count);
  let bias = 0;
  for (; rest > (BASE - LOWEST) * HIGHEST / 2; bias += BASE) rest = Math.floor(rest / (BASE - LOWEST));
  return bias + Math.floor((BASE - LOWEST + 1) * rest / (rest + 38));
}

/** a to z, then 0 to 9. */
function digit(value: number): string {
  return String.fromCodePoint(value < 26 ? 0x61 + value : 0x30 + value - 26);
}
