import type { ChannelRuleSetting } from '../settings-file.ts';

/** `ttl`: milliseconds. */
export type ChannelRule = { match: string; limit?: number; ttl?: number };

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function channelRules(settings: ChannelRuleSetting[] = []): ChannelRule[] {
  return settings.map(({ match, limit, ttl }) => ({
    match, ...(limit !== undefined && { limit }), ...(ttl !== undefined && { ttl: millisecondsOf(ttl) }),
  }));
}

function millisecondsOf(ttl: number | string): number {
  return typeof ttl === 'number' ? ttl : Number.parseInt(ttl, 10) * (UNITS[ttl.slice(-1)] ?? 1);
}

/** Whether a channel keeps its messages; what of them, the database knows (service_private.channel_rule). */
export function keeping(rules: ChannelRule[]): (channel: string) => boolean {
  const names = new Set(rules.map(({ match }) => match).filter(match => !match.endsWith('*')));
  const beginnings = rules.map(({ match }) => match).filter(match => match.endsWith('*')).map(match => match.slice(0, -1));
  return channel => names.has(channel) || beginnings.some(beginning => channel.startsWith(beginning));
}
