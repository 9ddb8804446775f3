import { ApiError } from '../../error.ts';
import { wholeNumber } from '../../grammar/read/paging.ts';
import type { Filter } from '../../logs/ring.ts';

/** Parameters that are whole numbers: from, to, and where they are not given. */
const NUMBERS = { limit: [1, 10_000], count: [1, 10_000], offset: [0, Number.MAX_SAFE_INTEGER] } as const;
/** Those that may come more than once; any of the values matches. */
const LISTS = ['level', 'source'];
/** A date, or a time; without a zone it is UTC. */
const TIME = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/;

/** The query of a route that takes these parameters. @throws ApiError 400 INVALID_PARAM. */
export function readQuery(query: string, names: readonly string[]): URLSearchParams {
  const given = new URLSearchParams(query);
  for (const name of new Set(given.keys())) {
    if (!names.includes(name)) throw invalid(name, `Logs take no parameter ${JSON.stringify(name.slice(0, 50))} here.`);
    if (!LISTS.includes(name) && given.getAll(name).length > 1) throw invalid(name, `"${name}" may be given once.`);
  }
  return given;
}

/** @throws ApiError 400 INVALID_PARAM. */
export function numberOf(given: URLSearchParams, name: keyof typeof NUMBERS, usual: number): number {
  const text = given.get(name);
  const [least, most] = NUMBERS[name];
  const value = text === null ? usual : wholeNumber(text, least, most);
  if (value === undefined) throw invalid(name, `"${name}" must be a whole number from ${least} to ${most}.`);
  return value;
}

/** @throws ApiError 400 INVALID_PARAM. */
export function filterOf(given: URLSearchParams): Filter {
  const list = (name: string) => given.has(name) ? given.getAll(name) : undefined;
  return { levels: list('level'), sources: list('source'), since: sinceOf(given.get('since')), search: given.get('search') ?? undefined };
}

function sinceOf(text: string | null): number | undefined {
  if (text === null) return undefined;
  const [, zone] = TIME.exec(text) ?? [];
  const time = TIME.test(text) ? Date.parse(text.includes('T') && zone === undefined ? `${text}Z` : text) : NaN;
  if (Number.isNaN(time)) throw invalid('since', '"since" must be a date or a time, such as 2026-07-14T03:00:00Z.');
  return time;
}

function invalid(parameter: string, message: string): ApiError {
  return new ApiError(400, 'INVALID_PARAM', message, { parameter });
}
