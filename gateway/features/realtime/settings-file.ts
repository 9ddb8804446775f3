import type { Report } from '../../json/form.ts';
import { either, list, object, sqlFunction, text, whole } from '../../json/json-schema.ts';

/** The key `realtime` of the settings file. */
export type RealtimeSetting = { authorize?: string; channels?: ChannelRuleSetting[] };
/** `ttl`: milliseconds, or a text such as 15m. */
export type ChannelRuleSetting = { match: string; limit?: number; ttl?: number | string };

/** 99999 days. */
const MOST_MILLISECONDS = 8_639_913_600_000;

const channelRule = object('Channels that keep their messages: so many, so long, or both.', {
  match: text('The name of a channel, or with * at its end how names begin.', {
    pattern: '^([^*]{1,200}|[^*]{0,199}\\*)$', 'x-expected': 'the name of a channel, or the beginning of names with * at its end',
  }),
  limit: whole('How many messages.', 1, 1_000_000),
  ttl: either(
    'How long, in milliseconds or with a unit.', 'a whole number of milliseconds, or a text such as 30s, 15m, 24h or 7d',
    whole('', 1_000, MOST_MILLISECONDS), text('', { pattern: '^[1-9][0-9]{0,4}[smhd]$' }),
  ),
}, ['match']);

export const realtimeKeys = object('Realtime.', {
  authorize: sqlFunction('whether a caller may join a channel, broadcast, see who is present, read what was said.'),
  channels: list('Channels that keep their messages; the first match counts.', channelRule),
});

/** Reports channel rules that keep messages without a bound. */
export function validateRealtime({ channels = [] }: RealtimeSetting, report: Report): void {
  for (const [i, { limit, ttl }] of channels.entries()) {
    if (limit === undefined && ttl === undefined) report(`realtime.channels[${i}]`, 'needs a limit, a ttl, or both');
  }
}
