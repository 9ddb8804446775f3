import { withDeadline } from '../../database/with-deadline.ts';
import type { Ended } from '../../http/server.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { countRows } from './count-rows.ts';
import { shapeOf } from './shape-of.ts';
import { slowShape, SlowShapes, type Shape, type SlowRequest } from './slow-shapes.ts';
import { SLOW } from './topics.ts';

/** Milliseconds in which slow requests are collected: when many are slow, each must not cost a message. */
const PAUSE = 1_000;
/** For the last ones. */
const LEAVE = 500;

export function open({ config, bus, database, lent, log }: Context): Opened {
  const catalog = {
    get document() { return database.catalog.current.document; },
    functionNames: () => lent.functionNames?.() ?? [],
  };
  const shapes = new SlowShapes();
  let timer: NodeJS.Timeout | undefined;

  return {
    onEnd: (request, status, milliseconds) => { if (milliseconds >= config.slowRequest) look(request, status, milliseconds); },
    close: async () => {
      await withDeadline(send(), LEAVE).catch(() => undefined); // no parent, no answer
    },
  };

  /** How long a stream takes is its client's affair: an upload, or an answer from its first byte on. */
  function look(ended: Ended, status: number, milliseconds: number): void {
    const duration = ended.streamedAt === undefined ? milliseconds : ended.streamedAt - ended.startedAt;
    if (ended.route?.receives || duration < config.slowRequest) return;
    const shape = shapeOf(ended, catalog);
    const slow = slowRequest(ended, status, duration);
    log.warn(lineOf(shape, slow), 'slow request');
    shapes.add([slowShape(shape, slow)]);
    timer ??= setTimeout(() => void send(), PAUSE).unref();
  }

  async function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const taken = shapes.take();
    if (taken.length > 0) await bus.ask(SLOW, taken).catch(() => undefined);
  }
}

function slowRequest({ work, requestId }: Ended, status: number, duration: number): SlowRequest {
  return {
    durationMs: Math.round(duration),
    waitedMs: work && Math.round(work.waited),
    databaseMs: work && Math.round(work.served),
    rows: work?.found ? countRows(work.found) : undefined,
    status, requestId,
  };
}

/** Lists as texts, and what is not there left out. */
function lineOf({ filter, sort, include, ...shape }: Shape, slow: SlowRequest): object {
  const lists = Object.entries({ filter, sort, include }).filter(([, names]) => names.length > 0);
  return { ...slow, ...shape, ...Object.fromEntries(lists.map(([name, names]) => [name, names.join(', ')])) };
}
