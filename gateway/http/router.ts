import { ApiError } from '../error.ts';
import type { Method, Route } from './route.ts';

export type Match = {
  route: Route;
  params: Record<string, string>;
  /** Below the base path, or whole for a root route. */
  path: string;
};

export type Router = {
  /** @throws ApiError 400 BAD_REQUEST when a parameter is not valid percent-encoding. */
  match(method: Method, path: string): Match | undefined;
  /** The methods that a path answers, for `Allow`; empty for an unknown path. */
  methods(path: string): Method[];
  /** Whether the route of a request is open to pages of every origin. */
  isOpen(method: Method, path: string): boolean;
};

type Entry = { route: Route; names: string[]; stripped: number };
/** One path segment. Entries stand in the order of the table, so that of two equal rows the first one answers. */
type Node = { segments: Map<string, Node>; parameter: Node | undefined; entries: Entry[]; rest: Entry[] };
type Found = { entry: Entry; values: string[] };

const everyMethod: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A static segment goes before a `:name`, a `:name` before a trailing `*`; a path without the right method keeps looking. */
export function createRouter(routes: readonly Route[], basePath: string): Router {
  const root = newNode();
  for (const route of routes) add(root, route, basePath);

  function match(method: Method, path: string): Match | undefined {
    const found = routeOf(method, path);
    if (found === undefined) return undefined;
    const { entry, values } = found;
    return { route: entry.route, params: parameters(entry, values), path: path.slice(entry.stripped) };
  }

  function methods(path: string): Method[] {
    return everyMethod.filter(method => routeOf(method, path) !== undefined);
  }

  function isOpen(method: Method, path: string): boolean {
    return routeOf(method, path)?.entry.route.isOpen === true;
  }

  function routeOf(method: Method, path: string): Found | undefined {
    return find(root, path, 1, [], entry => answers(entry.route, method));
  }

  return { match, methods, isOpen };
}

function newNode(): Node {
  return { segments: new Map(), parameter: undefined, entries: [], rest: [] };
}

function add(root: Node, route: Route, basePath: string): void {
  const stripped = route.root ? 0 : basePath.length;
  const names: string[] = [];
  let node = root;
  for (const segment of (route.root ? route.path : basePath + route.path).slice(1).split('/')) {
    if (segment === '*') {
      node.rest.push({ route, names: [...names, '*'], stripped });
      return;
    }
    if (segment.startsWith(':')) names.push(segment.slice(1));
    node = step(node, segment);
  }
  node.entries.push({ route, names, stripped });
}

function step(node: Node, segment: string): Node {
  if (segment.startsWith(':')) return node.parameter ??= newNode();
  const next = node.segments.get(segment) ?? newNode();
  node.segments.set(segment, next);
  return next;
}

function find(node: Node, path: string, start: number, values: string[], fits: (entry: Entry) => boolean): Found | undefined {
  if (start > path.length) return foundAmong(node.entries, values, fits);
  const slash = path.indexOf('/', start);
  const end = slash === -1 ? path.length : slash;
  const segment = path.slice(start, end);
  const next = node.segments.get(segment);
  return (next && find(next, path, end + 1, values, fits))
    ?? (node.parameter && segment !== '' ? find(node.parameter, path, end + 1, [...values, segment], fits) : undefined)
    ?? (start < path.length ? foundAmong(node.rest, [...values, path.slice(start)], fits) : undefined);
}

function foundAmong(entries: Entry[], values: string[], fits: (entry: Entry) => boolean): Found | undefined {
  const entry = entries.find(fits);
  return entry && { entry, values };
}

function answers({ method }: Route, asked: Method): boolean {
  return method === asked || method === 'ANY' || (asked === 'HEAD' && method === 'GET');
}

function parameters({ names, route: { verbatim } }: Entry, values: string[]): Record<string, string> {
  const params = { __proto__: null } as unknown as Record<string, string>;
  for (let i = 0; i < names.length; i++) params[names[i] as string] = verbatim ? values[i] as string : decoded(values[i] as string);
  return params;
}

/** NUL is refused here, once: no text in Postgres can hold it. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  const text = percentDecoded(segment);
  if (text === undefined || text.includes('\0')) throw new ApiError(400, 'BAD_REQUEST', 'The path is not valid percent-encoded text.');
  return text;
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
