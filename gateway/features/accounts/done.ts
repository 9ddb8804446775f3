import { privateReply } from '../../http/private-reply.ts';
import type { Reply } from '../../http/route.ts';

export function done(message: string): Reply {
  return privateReply({ success: true, message });
}
