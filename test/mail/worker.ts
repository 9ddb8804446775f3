// A worker that has one mail to send: what it is told to serve is its number.
import { pino } from 'pino';
import { parentsMailbox } from '../../gateway/boot/mail.ts';
import { mailboxTransport } from '../../gateway/mail/mailbox.ts';
import { createAsk } from '../../gateway/process/workers/ask.ts';
import { type ToWorker } from '../../gateway/process/workers/messages.ts';

const parent = createAsk(asked => process.send?.(asked));

process.on('SIGTERM', () => process.exit(0));
process.on('message', (message: ToWorker<{ number: number }>) => {
  if ('answered' in message) parent.hear(message);
  if ('serve' in message) void send(message.serve.number);
});

async function send(number: number): Promise<void> {
  const mailbox = parentsMailbox(parent.ask);
  await mailboxTransport(mailbox, pino({ level: 'silent' })).deliver({ to: `${number}@example.org`, subject: `from worker ${number}`, html: '' });
  const isThere = (await mailbox.list()).some(({ subject }) => subject === `from worker ${number}`);
  const unknown = await parent.ask('nothing').catch((error: unknown) => (error as Error).message);
  process.send?.(isThere && unknown === 'Nobody answers nothing.' ? { listening: true } : { failed: `${isThere} ${String(unknown)}` });
}
