/** A request without its values. Names are those of the catalog alone. */
export type Shape = {
  method: string;
  /** The pattern of its path. */
  route: string;
  collection: string | undefined;
  filter: readonly string[];
  sort: readonly string[];
  include: readonly string[];
};
/** One request: times in milliseconds, undefined where its route does not tell them. */
export type SlowRequest = {
  durationMs: number;
  waitedMs: number | undefined;
  databaseMs: number | undefined;
  rows: number | undefined;
  status: number;
  requestId: string;
};
/** The slow requests of one shape in an hour, which is in milliseconds since the epoch. */
export type SlowShape = Shape & { hour: number; requests: number; totalMs: number; slowest: SlowRequest };

const HOUR = 3_600_000;
/** Shapes that one process keeps until they are taken. */
const MOST = 200;

export function slowShape(shape: Shape, request: SlowRequest): SlowShape {
  const now = Date.now();
  return { ...shape, hour: now - now % HOUR, requests: 1, totalMs: request.durationMs, slowest: request };
}

/** Sums slow requests by shape and hour. Where there are too many shapes, those that took the most time in all stay. */
export class SlowShapes {
  #shapes = new Map<string, SlowShape>();

  add(shapes: readonly SlowShape[]): void {
    for (const shape of shapes) this.#add(shape);
  }

  /** Returns all, and forgets them. */
  take(): SlowShape[] {
    const taken = [...this.#shapes.values()];
    this.#shapes = new Map();
    return taken;
  }

  #add(shape: SlowShape): void {
    const { hour, method, route, collection, filter, sort, include, slowest } = shape;
    const key = JSON.stringify([hour, method, route, collection, filter, sort, include]);
    const known = this.#shapes.get(key);
    if (known === undefined) {
      if (this.#shapes.size >= MOST && !this.#makeRoom(shape)) return;
      this.#shapes.set(key, shape);
      return;
    }
    this.#shapes.set(key, {
      ...known,
      requests: known.requests + shape.requests,
      totalMs: known.totalMs + shape.totalMs,
      slowest: slowest.durationMs > known.slowest.durationMs ? slowest : known.slowest,
    });
  }

  #makeRoom({ totalMs }: SlowShape): boolean {
    const [key, least] = [...this.#shapes].reduce((a, b) => b[1].totalMs < a[1].totalMs ? b : a);
    return least.totalMs < totalMs && this.#shapes.delete(key);
  }
}
