import type { Argument, Endpoint } from '../../../catalog/endpoints.ts';
import { ApiError } from '../../../error.ts';
import { reservedKeys, splitPart } from '../../../grammar/query.ts';
import { Parameters } from '../../../grammar/read/parameters.ts';
import { parseClauses, type Options } from '../../../grammar/read/request.ts';
import { CALLER_PARAMETERS, type ParsedRead, type PathShape, type ReadShape } from '../../../grammar/read/shape.ts';
import { readBody } from '../../../grammar/write/body.ts';
import type { Call } from '../../../http/route.ts';

/** A call of an SQL function: the read of what it returns, and its arguments as JSON. */
export type ParsedCall = ParsedRead & { text: string; shape: ReadShape & { call: NonNullable<ReadShape['call']> } };

/** The arguments as JSON, and the names in it. */
type Arguments = { text: string; sent: readonly string[] };

/** Names that no function has are refused by the database; it is asked about a few. */
const TOLD_NAMES = 20;

/**
 * In a query a word of the list grammar is the grammar's, then an argument's name, then a filter.
 * @throws ApiError 400 BAD_REQUEST, INVALID_PARAM and those of reads, 415 UNSUPPORTED_MEDIA_TYPE.
 */
export async function parseCall(call: Call, endpoint: Endpoint, options: Options): Promise<ParsedCall> {
  const { name, volatility, returns: { kind, collection } } = endpoint;
  const { asked, rest, words, others } = splitArguments(call.query, endpoint);
  const isOfRows = kind === 'set' || kind === 'row';
  if (!isOfRows && words[0] !== undefined) throw noMeaning(words[0]);
  const parameters = new Parameters(options.names);
  const path = [isOfRows && collection !== undefined ? collection : `functions/${name}`];
  const read = isOfRows
    ? parseClauses({ op: kind === 'set' ? 'list' : 'get', path } satisfies PathShape, rest.join('&'), options, parameters)
    : { shape: { op: 'value' as const, path }, values: parameters.values, sources: parameters.sources };
  if (read.explain) throw noMeaning('explain');
  const { text, sent } = await argumentsOf(call, endpoint, asked, isOfRows ? [] : others);
  const isApart = volatility === 'volatile' && collection !== undefined;
  const body = parameters.values.length + CALLER_PARAMETERS + 1;
  if (!isApart && sent.length > 0) parameters.add(text, { kind: 'body' });
  const called = { function: name, sent: known(sent, endpoint), body, ...(isApart && { rows: body }) };
  return { ...read, text, shape: { ...read.shape, call: called } };
}

const reserved: ReadonlySet<string> = new Set(reservedKeys);

/** `rest`: the parts of the query that are no arguments, as they were sent; `words`: those of the grammar in it, `others`: other names. */
function splitArguments(query: string, { arguments: all }: Endpoint) {
  const asked = new Map<string, string[]>();
  const rest: string[] = [];
  const words: string[] = [];
  const others: string[] = [];
  const names = new Set(all.flatMap(({ name, argument }) => [name, argument]).filter(name => !reserved.has(name)));
  for (const part of query.split('&')) {
    if (part === '') continue;
    const [key, value] = splitPart(part);
    if (names.has(key)) asked.set(key, [...asked.get(key) ?? [], value]);
    else {
      rest.push(part);
      (reserved.has(key) ? words : others).push(key);
    }
  }
  return { asked, rest, words, others };
}

function noMeaning(parameter: string): ApiError {
  return new ApiError(400, 'INVALID_PARAM', `"${parameter}" has no meaning for this function.`, { parameter });
}

async function argumentsOf(
  call: Call, endpoint: Endpoint, asked: Map<string, string[]>, others: readonly string[],
): Promise<Arguments> {
  const members = [...asked].map(([name, values]) => `${JSON.stringify(name)}:${valueText(values, typeOf(name, endpoint))}`);
  const inQuery = [...asked.keys(), ...others];
  if (call.method !== 'POST') return { text: `{${members.join()}}`, sent: inQuery };
  if (endpoint.body !== undefined) return wholeBody(call.jsonBytes(), inQuery);
  const { text, names } = await readBody(call.jsonBytes());
  const twice = names.find(name => asked.has(name));
  if (twice !== undefined) throw sentTwice(endpoint, twice);
  const isBlank = names.length === 0;
  return { text: members.length === 0 ? text : `{${members.join()}${isBlank ? '}' : `,${text.slice(1)}`}`, sent: [...inQuery, ...names] };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The name of the argument is blank. The database reads the text. */
function wholeBody(bytes: Buffer, inQuery: readonly string[]): Arguments {
  try {
    const text = utf8.decode(bytes);
    return { text, sent: text.trim() === '' ? inQuery : [...inQuery, ''] };
  } catch (cause) {
    throw new ApiError(400, 'BAD_REQUEST', 'The body is not valid JSON.', undefined, { cause });
  }
}

function sentTwice({ name }: Endpoint, field: string): ApiError {
  const message = `${field} is sent twice.`;
  const violations = [{ field, code: 'twice', message }];
  return new ApiError(400, 'VALIDATION_INVALID_VALUE', message, { function: name, violations, messages: [message] });
}

function typeOf(name: string, { arguments: all }: Endpoint): Argument['type'] {
  return (all.find(one => one.name === name) ?? all.find(one => one.argument === name))?.type ?? 'string';
}

/** The JSON of an argument in a query. A list is sent as JSON, or its items one by one. */
function valueText(values: readonly string[], type: Argument['type']): string {
  const [value = ''] = values;
  if (values.length > 1) return JSON.stringify(values);
  if (type === 'array') return value.startsWith('[') && isJson(value) ? value : JSON.stringify(values);
  return (type === 'map' || type === 'vector') && isJson(value) ? value : JSON.stringify(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** In one order, so that equal calls share a statement. */
function known(sent: readonly string[], { arguments: all, body }: Endpoint): string[] {
  const names = new Set(all.flatMap(({ name, argument }) => [name, argument]));
  const each = [...new Set(sent)].sort();
  const unknown = each.filter(name => !names.has(name) && !(name === '' && body !== undefined)).slice(0, TOLD_NAMES);
  return unknown.length > 0 ? unknown : each;
}
