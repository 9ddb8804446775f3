import { setting } from '../../config/setting.ts';
import { oneOf, wholeNumber } from '../../config/value.ts';

export const realtimeSettings = {
  realtimeCdc: setting('REALTIME_CDC', oneOf('auto', 'trigger', 'wal', 'off'), 'auto' as const,
    'How changes are noticed for realtime: by triggers, also with wal; off switches realtime off.'),
  realtimeChannelBus: setting('REALTIME_CHANNEL_BUS', oneOf('memory', 'postgres'), 'memory' as const,
    'How far messages of channels go: to the sockets of this start, or of all gateways on the database.'),
  realtimeMaxSubscriptionsPerSocket: setting('REALTIME_MAX_SUBSCRIPTIONS_PER_SOCKET', wholeNumber(1), 1000,
    'Most subscriptions of one socket.'),
};
