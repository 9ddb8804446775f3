import { ApiError } from '../../error.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply, Route } from '../../http/route.ts';
import type { Mailbox } from '../../mail/mailbox.ts';
import type { RequireScope } from '../context.ts';

const PATH = '/admin/dev/emails';

/** Routes of the mails that a development service would have sent. */
export function mailboxRoutes(requireScope: RequireScope, mailbox: Mailbox | undefined): Route[] {
  return [
    { method: 'GET', path: PATH, handle: call => answer(call, async ({ list }) => ({ enabled: true, messages: await list() })) },
    { method: 'DELETE', path: PATH, handle: call => answer(call, ({ clear }) => clear().then(() => ({ cleared: true }))) },
  ];

  async function answer(call: Call, ask: (mailbox: Mailbox) => Promise<object>): Promise<Reply> {
    await requireScope(call, 'users:write');
    if (mailbox === undefined) {
      const message = 'Mail is kept for reading only outside production, and only without an SMTP server (SMTP_HOST).';
      throw new ApiError(501, 'DEV_MAILBOX_UNAVAILABLE', message);
    }
    return privateReply(await ask(mailbox));
  }
}
