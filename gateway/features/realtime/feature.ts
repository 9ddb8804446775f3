import type { Feature } from '../feature.ts';

/** Subscriptions, channels and presence over WebSockets. */
export const realtime: Feature = {
  name: 'realtime',
  source: 'realtime',
  rows: [{ feature: 'realtime', paths: [], upgrades: true, switch: 'realtimeCdc', built: true }],
  isOn: ({ realtimeCdc }) => realtimeCdc !== 'off',
  serving: () => import('./open.ts'),
  shared: () => import('./shared.ts'),
  off: () => import('./off.ts'),
  commands: {
    realtime: {
      does: 'print the WebSocket connections, changes that are not delivered yet, and tables that do not announce theirs',
      flags: { json: { type: 'boolean', does: 'as the JSON object that service.realtime_report() returns' } },
      run: async ({ flags: { json } }, askProject) => (await import('./command.ts')).realtimeCommand({ json: json === true }, askProject),
    },
  },
};
