import type { Ended } from '../../http/server.ts';
import type { RequestLabels, RequestSets } from '../../metrics/request-sets.ts';

type Options = {
  basePath: string;
  /** The slugs of the collections that are served. Another set when they have changed. */
  slugs: () => ReadonlySet<string>;
};
type Record = (request: Pick<Ended, 'method' | 'url'>, status: number, milliseconds: number) => void;
/** The labels that a path has, with the row of each method and status that was met under it. */
type Place = { surface: string; collection?: string; rows: Map<number, number> };

const OTHER = 'other';
const SURFACES = ['data', 'auth', 'storage', 'functions', 'admin', 'meta'];
/** Those whose second segment may be a collection. */
const WITH_COLLECTION = ['data', 'functions'];
/** Clients may send any word as a method. */
const METHODS = ['(other)', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Records each request in its set of labels. The labels of a path are worked out once. */
export function createRecorder({ basePath, slugs }: Options, sets: RequestSets): Record {
  const prefix = `${basePath}/`;
  const other: Place = { surface: OTHER, rows: new Map() };
  const surfaces = new Map<string, Place>(SURFACES.map(surface => [surface, { surface, rows: new Map() }]));
  const methods = new Map(METHODS.map((method, i) => [method, i]));
  /** By surface and slug as they stand in paths. */
  const collections = new Map<string, Place>();
  let known = slugs();

  return ({ method, url }, status, milliseconds) => {
    const place = placeOf(url);
    const key = status * METHODS.length + (methods.get(method) ?? 0);
    let row = place.rows.get(key);
    if (row === undefined) place.rows.set(key, row = sets.rowOf(labelsOf(place, key % METHODS.length, status)));
    sets.record(row, milliseconds);
  };

  function placeOf(url: string): Place {
    if (!url.startsWith(prefix)) return other;
    const first = segmentEnd(url, prefix.length);
    const surface = surfaces.get(url.slice(prefix.length, first)) ?? other;
    if (!WITH_COLLECTION.includes(surface.surface) || first === url.length) return surface;
    if (slugs() !== known) {
      known = slugs();
      collections.clear();
    }
    const path = url.slice(prefix.length, segmentEnd(url, first + 1));
    return collections.get(path) ?? newPlace(surface, path, path.slice(first - prefix.length + 1));
  }

  /** Kept for a collection alone: other names are without number. */
  function newPlace(surface: Place, path: string, segment: string): Place {
    const collection = decoded(segment);
    if (collection === undefined || !known.has(collection)) return surface;
    const place = { surface: surface.surface, collection, rows: new Map<number, number>() };
    if (collections.size < 2 * known.size) collections.set(path, place); // a slug has many spellings
    return place;
  }
}

function labelsOf({ surface, collection }: Place, method: number, status: number): RequestLabels {
  return { surface, method: METHODS[method] as string, status, ...(collection !== undefined && { collection }) };
}

function segmentEnd(url: string, start: number): number {
  const end = url.indexOf('/', start);
  return end === -1 ? url.length : end;
}

function decoded(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
