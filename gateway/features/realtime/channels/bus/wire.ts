/** Where gateways and service.broadcast tell of channels. */
export const CHANNELS_CHANNEL = 'service_channels';
/** The sender of messages from SQL (service_private.channel_notice). */
export const SQL = 'sql';

/** Payloads that say more than a Notice: a message waits for its number; a message is too large and has to be read. */
export type Word =
  | { kind: 'broadcast' | 'presence'; channel: string; frame: string }
  | { kind: 'message'; channel: string; seq: number; sender: string; frame?: string }
  | { kind: 'roster'; channel: string }
  | { kind: 'waiting'; channel: string }
  | { kind: 'large'; channel: string; id: string };

/** PostgreSQL carries fewer bytes than this. */
const LONGEST = 8_000;
/** Between words, and between their fields: the text of JSON has neither by itself. */
const [BETWEEN, WITHIN] = ['\x1e', '\x1f'];

/** Notifications with these words, as few as can carry them. `heading` makes each of them another one. @param words see wordOf */
export function packed(words: readonly string[], heading: () => string): string[] {
  const packets: { text: string; size: number }[] = [];
  for (const word of words) {
    const size = Buffer.byteLength(word) + 1;
    const last = packets.at(-1);
    if (last !== undefined && last.size + size < LONGEST) {
      last.text += BETWEEN + word;
      last.size += size;
    } else {
      const head = heading();
      packets.push({ text: head + BETWEEN + word, size: Buffer.byteLength(head) + size });
    }
  }
  return packets.map(({ text }) => text);
}

/** Undefined when it is too large for a notification with such a heading. */
export function wordOf(heading: string, kind: string, channel: string, ...fields: string[]): string | undefined {
  const word = [kind, JSON.stringify(channel), ...fields].join(WITHIN);
  return Buffer.byteLength(heading) + 1 + Buffer.byteLength(word) < LONGEST ? word : undefined;
}

export function unpacked(text: string): { heading: string; words: Word[] } {
  const [heading = '', ...words] = text.split(BETWEEN);
  return { heading, words: words.map(read).filter(word => word !== undefined) };
}

/** Undefined for what a later version may say. */
function read(text: string): Word | undefined {
  const [kind, name = '""', first = '', second = '', third] = text.split(WITHIN);
  const channel = JSON.parse(name) as string;
  switch (kind) {
    case 'broadcast':
    case 'presence': return { kind, channel, frame: first };
    case 'message': return { kind, channel, seq: Number(first), sender: second, ...(third !== undefined && { frame: third }) };
    case 'roster': return { kind, channel };
    case 'waiting': return { kind, channel };
    case 'large': return { kind, channel, id: first };
    default: return undefined;
  }
}
