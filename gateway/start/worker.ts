// One of several processes on a port. Its parent tells it what to serve, and when the catalog has changed.
import { realpathSync } from 'node:fs';
import { type Ears, type Listen } from '../database/listen.ts';
import { stopAbandoned } from '../embedded/embedded.ts';
import { atEnd, end, GRACE, reasonOf, watchRejections } from '../process/ending.ts';
import { createLogger } from '../process/log.ts';
import { createAsk } from '../process/workers/ask.ts';
import { TELL_ALL, type FromWorker, type Heard, type ToWorker } from '../process/workers/messages.ts';
import { type AuditState } from '../features/admin/options.ts';
import { auditBoard } from '../features/admin/audit-board.ts';
import { databaseOptions, openDatabase } from './database.ts';
import { mailboxOf, parentsMailbox } from './mail.ts';
import { readSchema } from './schema-files.ts';
import { serve } from './serve.ts';
import { changesOfParent } from '../features/realtime/shared-changes.ts';
import { channelsOfParent } from '../features/realtime/channels/shared-channels.ts';
import { type Assignment } from './workers.ts';

const board = auditBoard();
/** The parent hears the database, and says what. */
const channels = new Map<string, Ears>();
/** Those of which the parent hears nothing. */
const silent = new Set<string>();
const parent = createAsk(tell);

async function work({ number, config, secrets, url, port, poolMax, embedded, audit, hears }: Assignment): Promise<void> {
  board.current = audit;
  const log = createLogger(config, number);
  watchRejections(config, log);
  if (embedded !== undefined) atEnd(async () => { if (!process.connected) await stopAbandoned(realpathSync(embedded), log); });
  const options = databaseOptions(config, url, readSchema(), { kind: 'kept' });
  const elsewhere = {
    listen: toParent,
    openChanges: hears ? changesOfParent(number, toParent, parent.ask) : undefined,
    openBus: hears ? channelsOfParent(number, toParent, parent.ask) : undefined,
  };
  const database = await openDatabase({ ...options, ensure: false, poolMax, elsewhere }, log);
  atEnd(() => database.close(0));
  const mailbox = mailboxOf(config, () => parentsMailbox(parent.ask));
  const service = await serve(database, { config, secrets, audit: board, mailbox, tellAll, place: { number, port }, log });
  atEnd(() => service.close(GRACE));
  tell({ listening: true });
}

const toParent: Listen = (channel, ears) => {
  channels.set(channel, ears);
  if (silent.has(channel)) ears.silent?.();
  else ears.resumed();
  return Promise.resolve({ end: () => Promise.resolve(void channels.delete(channel)) });
};

function hear(news: Heard): void {
  const ears = channels.get(news.channel);
  if ('heard' in news) return ears?.heard(news.heard);
  if (news.hears) {
    silent.delete(news.channel);
    ears?.resumed();
  } else {
    silent.add(news.channel);
    ears?.silent?.();
  }
}

/** Resolves when every worker of the start has heard it. */
async function tellAll(news: Heard): Promise<void> {
  await parent.ask(TELL_ALL, news);
}

function tell(message: FromWorker): void {
  if (process.connected) process.send?.(message);
}

// Ctrl-C and a closed terminal reach the whole group; it is the parent that ends the workers then, by SIGTERM.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
process.on('SIGTERM', () => void end(0));
process.on('disconnect', () => void end(1)); // the parent is gone, however it ended
process.on('message', (message: ToWorker<Assignment>) => {
  if ('answered' in message) parent.hear(message);
  if ('audit' in message) board.current = message.audit as AuditState;
  if ('channel' in message) hear(message);
  if ('tell' in message) {
    hear(message.tell);
    tell({ knows: message.number });
  }
  if ('serve' in message) work(message.serve).catch((error: unknown) => { tell({ failed: reasonOf(error) }); void end(1); });
});
