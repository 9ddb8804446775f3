export type Values = Record<string, unknown>;

/** Asks the gateway; `call` is the number of the call that asks as its caller, 0 as the service. An answer with bytes is `WithBytes`. */
export type Ask = (of: string, call: number, given: unknown, bytes?: AsyncIterable<Uint8Array>) => Promise<unknown>;
export type WithBytes = { result: unknown; bytes: AsyncIterable<Uint8Array> | null };
export type Asking = { method: string; path: string[]; query: string; headers?: Record<string, string>; body: string };

/** Requests of one kind of routes, whose answers are JSON. */
export type JsonRequest = (method: string, path: readonly unknown[], query?: Values, values?: Values) => Promise<unknown>;

export function jsonRequest(ask: Ask, of: string, call: number): JsonRequest {
  return async (method, path, query = {}, values) => {
    const body = values === undefined ? '' : jsonOf(values);
    const text = await ask(of, call, { method, path: path.map(String), query: queryOf(query), body } satisfies Asking) as string;
    return text === '' ? undefined : JSON.parse(text) as unknown;
  };
}

/** A value that is no text goes as JSON; one that is undefined is left out. */
export function queryOf(query: Values): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const texts = given.map(([name, value]): [string, string] => [name, typeof value === 'string' ? value : jsonOf(value)]);
  return new URLSearchParams(texts).toString();
}

export function jsonOf(value: unknown): string {
  return JSON.stringify(value ?? null);
}
