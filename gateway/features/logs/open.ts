import { withDeadline } from '../../database/with-deadline.ts';
import { createOutbox } from '../../logs/outbox.ts';
import type { Context } from '../context.ts';
import type { Opened } from '../feature.ts';
import { recordRequests } from './record-requests.ts';
import { logsRoutes, STREAM_PATHS } from './routes.ts';
import { createStreams } from './streams.ts';
import { FIND, FOLLOW } from './topics.ts';

/** Milliseconds for the last records. */
const LEAVE = 500;

export function open({ config, bus, identity, permissions, requireScope }: Context): Opened {
  const { basePath } = config;
  const requests = createOutbox();
  const disconnect = requests.connect(bus);
  const streams = createStreams({
    follow: wanted => bus.ask(FOLLOW, wanted),
    permit: async authorization => permissions.require(await identity.caller(authorization), 'logs:read'),
  });
  const instance = process.env['HOSTNAME'] ?? `pid-${bus.number === 0 ? process.pid : process.ppid}`;

  return {
    routes: logsRoutes({ requireScope, find: (filter, page) => bus.ask(FIND, { filter, page }), streams, instance }),
    onEnd: recordRequests(basePath, STREAM_PATHS.map(path => basePath + path), requests.add),
    drain: () => Promise.resolve(streams.close()),
    close: async () => {
      await withDeadline(disconnect(), LEAVE).catch(() => undefined); // no parent, no answer
    },
  };
}
